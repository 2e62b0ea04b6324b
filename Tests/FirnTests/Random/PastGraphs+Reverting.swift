import Firn
import FirnLog
import Foundation
import StoreSupport

/// Saves that are reverted.
extension PastGraphs {
    private static let revertedMax = 5

    /// Reverts the last saves, the newest first: after each the store is as it was before that save, but for the order
    /// of members. Objects that come back are others, which earlier saves do not know, nor what leads to the old ones.
    func revertSaves(_ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram) throws {
        let context = coordinator.context()
        var cameBack = false
        for (point, next) in zip(points, points.dropFirst()).suffix(Self.revertedMax).reversed() where !hasErased {
            let saves = try transactions(after: point, upTo: next, context)
            program.note("revert \(saves.map(\.transactionNumber))")
            do {
                try context.performAndWait {
                    for save in saves.reversed() { try context.revert(save) }
                    cameBack = cameBack || !context.insertedObjects.isEmpty
                    try context.save()
                }
            } catch let error as HistoryConflicts {
                if !cameBack { throw program.failure("\(error)") }
                return
            }
            let seen = try Self.stored(coordinator).comparable(leavesDangling: cameBack)
            let expected = point.graph.comparable(leavesDangling: cameBack)
            if seen != expected {
                throw program.failure("after the revert of \(next.token): \(seen.difference(from: expected))")
            }
        }
    }

    /// Reverts a save that others followed: either something that was changed later is in the way, or the save of what
    /// is put back leaves relationships whose both sides agree.
    func revertAnySave(_ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram) throws {
        guard let index = pick(Array(points.indices.dropLast())) else { return }
        let context = coordinator.context()
        let saves = try transactions(after: points[index], upTo: points[index + 1], context)
        program.note("revert \(saves.map(\.transactionNumber)), which others followed")
        do {
            try context.performAndWait {
                for save in saves.reversed() { try context.revert(save) }
                try context.save()
            }
        } catch is HistoryConflicts { return } catch let error as NSError where Self.isDenied(error) { return }
        let seen = try Self.stored(coordinator)
        for (end, number) in seen.owners {
            for other in seen.partners(end, number) where !seen.partners(end.opposite, other).contains(number) {
                throw program.failure("\(end.shape.name) of \(number) has \(other), which does not lead back")
            }
        }
    }

    /// The objects that a fetch finds.
    private static func stored(_ coordinator: NSPersistentStoreCoordinator) throws -> PlainGraph {
        let reader = coordinator.context()
        return try reader.performAndWait { try PlainGraph(fetching: reader) }
    }

    /// Whether a rule denies the deletion of what was inserted, since others lead to it now.
    private static func isDenied(_ error: NSError) -> Bool {
        let all = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        return all.allSatisfy { $0.code == NSValidationRelationshipDeniedDeleteError }
    }

    private func transactions(
        after point: Point, upTo next: Point, _ context: NSManagedObjectContext
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: point.token)
        let result = try context.performAndWait { try context.execute(request) as? NSPersistentHistoryResult }
        let last = next.token.positions.values.first?.sequence ?? .zero
        return (result?.result as? [NSPersistentHistoryTransaction] ?? []).filter {
            ($0.token.positions.values.first?.sequence ?? .zero) <= last
        }
    }
}

extension PlainGraph {
    /// The graph with each list ascending, and without what a deletion leaves dangling.
    fileprivate func comparable(leavesDangling: Bool) -> PlainGraph {
        var result = self
        for (end, number) in owners {
            let isLeft = leavesDangling && (end.isLeftDangling || end.opposite.isLeftDangling)
            result.put(isLeft ? [] : partners(end, number).sorted(), end, number)
        }
        return result
    }
}
