import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation
import StoreSupport

/// What a program in a tree of contexts does.
extension TreeProgram {
    /// Brings a context and those above it up to date, if anything came from above. Else they are left as they are.
    func refresh(_ branch: Branch) throws {
        if let parent = branch.parent { try refresh(parent) }
        let source = branch.parent?.overlay.view ?? store
        if branch.overlay.base == source, !chance(6) { return }
        note("\(branch.name): refresh")
        try run(branch) { branch.context.refreshAllObjects() }
        branch.overlay.refresh(source)
    }

    func edit(_ branch: Branch) throws {
        try refresh(branch)
        let view = branch.overlay.view
        let choice = Int.random(in: 0..<12, using: &generator)
        guard let number = pick(view.keys.sorted()), choice > 2 || view.count >= Self.sizeLimit else {
            return try insert(branch)
        }
        let targets = view.keys.filter(isSafeTarget).sorted()
        let target = chance(4) ? nil : pick(targets)
        switch choice {
        case 0..<4: try delete(number, branch)
        case 4..<6:
            let value = Int.random(in: 0..<1000, using: &generator)
            note("\(branch.name): value of \(number) to \(value)")
            try change(number, branch) { $0.setValue(value, forKey: "value") }
            branch.overlay.setValue(value, of: number)
        case 6..<8:
            note("\(branch.name): owner of \(number) to \(target.map(String.init) ?? "none")")
            try change(number, branch, target) { $0.setValue($1, forKey: "owner") }
            branch.overlay.setOwner(target, of: number)
        case 8..<10:
            note("\(branch.name): other of \(number) to \(target.map(String.init) ?? "none")")
            try change(number, branch, target) { $0.setValue($1, forKey: "other") }
            branch.overlay.setOther(target, of: number)
        default:
            guard let target, let likes = view[number]?.likes else { return }
            note("\(branch.name): \(number) likes \(target), or no longer")
            let adds = !likes.contains(target)
            try change(number, branch, target) { object, target in
                let members = object.mutableSetValue(forKey: "likes")
                guard let target else { return }
                if adds { members.add(target) } else { members.remove(target) }
            }
            branch.overlay.setLikes(likes.symmetricDifference([target]), of: number)
        }
    }

    private func insert(_ branch: Branch) throws {
        lastNumber += 1
        let (number, value) = (lastNumber, Int.random(in: 0..<1000, using: &generator))
        note("\(branch.name): insert \(number)")
        try run(branch) {
            let object = branch.context.make("Node", ["number": number, "value": value])
            // Asked for in some only: an ID that nobody knows is made when it is permanent.
            if number % 2 == 0 { self.remember(object) }
        }
        branch.overlay.insert(number, value)
    }

    /// It is not said what becomes of a reference to what is deleted elsewhere: the programs make none.
    private func isSafeTarget(_ number: Int) -> Bool { !branches.contains { $0.overlay.deleted.contains(number) } }

    private func delete(_ number: Int, _ branch: Branch) throws {
        let isOther = ([store] + branches.map(\.overlay.view)).contains { $0.values.contains { $0.other == number } }
        let isTarget = branches.contains { $0 !== branch && $0.overlay.targets.contains(number) }
        if isOther || isTarget { return }
        note("\(branch.name): delete \(number)")
        try change(number, branch) { $0.managedObjectContext?.delete($0) }
        branch.overlay.delete(number)
    }

    private func change(_ number: Int, _ branch: Branch, _ body: @escaping (NSManagedObject) -> Void) throws {
        try run(branch) { body(try self.object(number, branch)) }
    }

    private func change(
        _ number: Int, _ branch: Branch, _ target: Int?, _ body: @escaping (NSManagedObject, NSManagedObject?) -> Void
    ) throws {
        try run(branch) { body(try self.object(number, branch), try target.map { try self.object($0, branch) }) }
    }

    /// An object by an ID that some context had of it, or by a fetch.
    func object(_ number: Int, _ branch: Branch) throws -> NSManagedObject {
        if let held = branch.held[number], held.managedObjectContext === branch.context { return held }
        var generator = generator
        if let id = ids[number]?.randomElement(using: &generator) {
            let object = branch.context.object(with: id)
            if chance(2) { branch.held[number] = object }
            return object
        }
        return try fetched(NSPredicate(format: "number == %d", number), branch).first.map { $0 }
            ?? { throw failure("\(branch.name): a fetch does not find \(number)") }()
    }

    func fetched(_ predicate: NSPredicate?, _ branch: Branch) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
        request.predicate = predicate
        return try branch.context.fetch(request)
    }

    func save(_ branch: Branch) throws {
        try refresh(branch)
        note("\(branch.name): save")
        try run(branch) {
            try branch.context.save()
            if branch.context.hasChanges { throw self.failure("\(branch.name) has changes after a save") }
        }
        let view = branch.overlay.view
        if let parent = branch.parent { parent.overlay.merge(branch.overlay) } else { store = view }
        branch.overlay = PlainOverlay(view)
    }

    func saveToStore(_ branch: Branch) throws {
        try save(branch)
        if let parent = branch.parent { try saveToStore(parent) }
    }

    func obtain(_ branch: Branch) throws {
        try refresh(branch)
        let numbers = branch.overlay.view.keys.sorted().shuffled(using: &generator).prefix(3)
        note("\(branch.name): permanent IDs of \(numbers.sorted())")
        try run(branch) {
            let objects = try numbers.map { try self.object($0, branch) }
            try branch.context.obtainPermanentIDs(for: objects)
            for object in objects {
                self.remember(object)
                if object.objectID.isTemporaryID { throw self.failure("\(branch.name): \(object) has no permanent ID") }
            }
        }
    }

    func remember(_ object: NSManagedObject) {
        let id = object.objectID
        guard let number = object.value(forKey: "number") as? Int else { return }
        if ids[number]?.contains(where: { $0 === id }) != true { ids[number, default: []].append(id) }
    }
}
