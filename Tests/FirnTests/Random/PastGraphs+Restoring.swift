import Firn
import FirnInspection
import FirnLog
import Foundation
import StoreSupport

/// Objects that are put back to a point of the past.
extension PastGraphs {
    /// Puts an object back, or one of its properties, in a context that is not saved.
    func restoreObject(_ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram) throws {
        guard let point = pick(points), let sequence = point.token.positions.values.first?.sequence,
            let now = points.last, let number = pick(point.graph.kinds.keys.sorted()), let url = point.ids[number],
            let kind = point.graph.kinds[number]
        else { return }
        let end = chance(2) ? pick(kind.ends) : nil
        let ends = end.map { [$0] } ?? kind.ends.filter { !$0.shape.isToMany || $0.opposite.shape.isToMany }
        let isPossible = (end == nil || now.ids.values.contains(url)) && ends.allSatisfy { end in
            point.graph.partners(end, number).allSatisfy { other in
                other == number || now.ids.values.contains(point.ids[other]!)
            }
        }
        let name = kind.rawValue + "/" + url.lastPathComponent
        program.note("restore \(end?.shape.name ?? "all") of \(name), which is \(number), as of \(sequence)")
        func check(_ context: NSManagedObjectContext) throws {
            let seen = try PlainGraph(fetching: context)
            if end == nil, seen.values[number] != point.graph.values[number] {
                throw program.failure(
                    "restored are \(seen.values[number] ?? []), expected \(point.graph.values[number] ?? [])")
            }
            for end in ends where seen.partners(end, number) != point.graph.partners(end, number) {
                throw program.failure(
                    "restored \(end.shape.name) are \(seen.partners(end, number)), "
                        + "expected \(point.graph.partners(end, number))")
            }
        }
        let reversal = try Reversal(
            .object(ObjectName(name), property: end?.shape.name, sequence: sequence),
            in: coordinator.persistentStores[0], of: coordinator, author: "restoring", name: "restoring"
        ) { try check($1) }
        if reversal.obstacles.isEmpty != isPossible {
            throw program.failure("obstacles are \(reversal.obstacles.map(\.text))")
        }
        if isPossible, reversal.changes.isEmpty {
            let reader = coordinator.context()
            try reader.performAndWait { try check(reader) }
        }
    }
}
