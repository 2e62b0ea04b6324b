import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor
import FirnModel
import Foundation
import StoreSupport

/// What a tree of contexts is held to.
extension TreeProgram {
    /// Holds what a context fetches to what is expected of it, and what its results controller lists.
    func check(_ branch: Branch) throws {
        try refresh(branch)
        let expected = branch.overlay.view
        // What was changed at one side is changed at the other, whichever is read first, or at all.
        let (reads, readsInverses) = (Int.random(in: 0..<4, using: &generator), chance(2))
        let (seen, twins) = try run(branch) {
            let objects = try self.fetched(nil, branch)
            objects.forEach(self.remember)
            var seen = Dictionary(objects.map { ($0.number, self.plain($0, likes: reads == 0)) }) { $1 }
            for object in objects where reads == 1 {
                for number in object.numbers("likedBy") { seen[number]?.likes.insert(object.number) }
            }
            for number in seen.keys where reads > 1 { seen[number]?.likes = expected[number]?.likes ?? [] }
            if readsInverses { try self.checkInverses(objects, expected, branch) }
            let twins = objects.filter { object in
                let known = branch.held[object.number]
                return known.map { $0 !== object && $0.managedObjectContext === branch.context } ?? false
            }
            return (seen, twins.map(\.number))
        }
        if seen != expected { throw failure("\(branch.name) shows \(difference(seen, expected))") }
        if !twins.isEmpty { throw failure("\(branch.name): \(twins) have two instances") }
        try checkIDs()
        try checkController(branch)
    }

    /// Both sides of a relationship say the same.
    private func checkInverses(
        _ objects: [NSManagedObject], _ expected: [Int: PlainNode], _ branch: Branch
    ) throws {
        for object in objects {
            let number = object.number
            for link in PlainLink.allCases {
                guard let inverse = link.inverse else { continue }
                let members = Set(expected.filter { $0.value.links[link] == number }.keys)
                if object.numbers(inverse) != members {
                    throw failure(
                        "\(branch.name): \(inverse) of \(number) are \(object.numbers(inverse)), expected \(members)")
                }
            }
        }
    }

    private func difference(_ seen: [Int: PlainNode], _ expected: [Int: PlainNode]) -> String {
        Set(seen.keys).union(expected.keys).sorted().filter { seen[$0] != expected[$0] }.map { number in
            func text(_ node: PlainNode?) -> String { node.map { "\($0)" } ?? "nothing" }
            return "\(number): \(text(seen[number])), expected \(text(expected[number]))"
        }.joined(separator: "; ")
    }

    /// An object has one permanent ID, and each of its temporary ones leads there once it has it.
    private func checkIDs() throws {
        for (number, known) in ids {
            let permanent = Set(known.filter { !$0.isTemporaryID })
            if permanent.count > 1 { throw failure("\(number) has several permanent IDs: \(permanent)") }
        }
    }

    /// The list follows what its own context does; after what came from above it is fetched again.
    private func checkController(_ branch: Branch) throws {
        let expected = branch.overlay.view
        let isNew = branch.controller == nil
        let numbers = try run(branch) {
            if isNew {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
                request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
                branch.controller = NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: branch.context, sectionNameKeyPath: nil,
                    cacheName: nil)
                branch.controller?.delegate = branch.listener
            }
            if branch.listed.map({ Set($0.keys) != Set(expected.keys) }) ?? true {
                try branch.controller?.performFetch()
            }
            return branch.controller?.fetchedObjects?.map(\.number) ?? []
        }
        branch.listed = expected
        if numbers != expected.keys.sorted() {
            throw failure("\(branch.name): its controller lists \(numbers), expected \(expected.keys.sorted())")
        }
    }

    /// Looks objects up by every ID that was ever seen of them, and by predicates with these.
    func lookUp(_ branch: Branch) throws {
        try refresh(branch)
        let view = branch.overlay.view
        guard let number = pick(ids.keys.sorted()), let known = ids[number] else { return }
        note("\(branch.name): look up \(number)")
        try run(branch) {
            guard view[number] != nil else { return try self.checkAbsence(number, known, branch) }
            let found = try self.fetched(NSPredicate(format: "number == %d", number), branch)
            guard found.count == 1, let object = found.first else {
                throw self.failure("\(branch.name): a fetch finds \(found.count) of \(number)")
            }
            for id in known {
                let context = branch.context
                let same = [
                    context.object(with: id), context.registeredObject(for: id), try context.existingObject(with: id),
                ]
                if !same.allSatisfy({ $0 === object }) { throw self.failure("\(branch.name): \(id) is another object") }
                try self.checkPredicates(branch, number, id, object, view)
            }
        }
    }

    private func checkAbsence(_ number: Int, _ known: [NSManagedObjectID], _ branch: Branch) throws {
        // What is deleted here, or above, and not saved is still an object.
        if branch.overlay.deleted.contains(number) { return }
        for id in known {
            if let object = try? branch.context.existingObject(with: id), !object.isDeleted {
                throw failure("\(branch.name): \(id) of \(number), which is not here, is \(object)")
            }
        }
    }

    private func checkPredicates(
        _ branch: Branch, _ number: Int, _ id: NSManagedObjectID, _ object: NSManagedObject, _ view: [Int: PlainNode]
    ) throws {
        let cases: [(String, Any, [Int])] = [
            ("SELF == %@", id, [number]), ("SELF == %@", object, [number]), ("SELF IN %@", [id], [number]),
            ("owner == %@", id, view.filter { $0.value.links[.owner] == number }.keys.sorted()),
            ("owner == %@", object, view.filter { $0.value.links[.owner] == number }.keys.sorted()),
            ("other == %@", id, view.filter { $0.value.links[.other] == number }.keys.sorted()),
            ("key == %@", id, [view[number]?.links[.lock]].compactMap { $0 }),
            ("ANY likes == %@", id, view.filter { $0.value.likes.contains(number) }.keys.sorted()),
        ]
        for (format, argument, expected) in cases {
            let predicate = NSPredicate(format: format, argumentArray: [argument])
            let found = try fetched(predicate, branch).map(\.number).sorted()
            if found != expected {
                throw failure("\(branch.name): \(format) with \(argument) finds \(found), expected \(expected)")
            }
        }
    }

    /// Holds the store to what was saved.
    func checkStore() throws {
        let reader = coordinator.context()
        let seen = try reader.performAndWait {
            Dictionary(try reader.all("Node").map { ($0.number, self.plain($0, likes: true)) }) { $1 }
        }
        if seen != store { throw failure("saved is \(difference(seen, store))") }
    }

    private func plain(_ object: NSManagedObject, likes: Bool) -> PlainNode {
        var result = PlainNode(value: values.value(of: object))
        for link in PlainLink.allCases {
            result.links[link] = (object.value(forKey: link.rawValue) as? NSManagedObject)?.number
        }
        if likes { result.likes = object.numbers("likes") }
        return result
    }
}

extension NSManagedObject {
    /// The numbers of the objects at the other end of a relationship.
    fileprivate func numbers(_ key: String) -> Set<Int> {
        let value = value(forKey: key)
        if let object = value as? NSManagedObject { return [object.number] }
        let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        return Set(members.compactMap { ($0 as? NSManagedObject)?.number })
    }
}
