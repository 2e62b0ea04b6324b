import FirnStore
import FirnModel
import FirnProjection

/// Relationships that one statement reads.
private struct MemberGroup: Hashable {
    let store: ObjectIdentifier?
    let root: ObjectIdentifier
    let slot: Int
}

/// Reads what relationships lead to ahead of the accesses: for each step of a key path one statement for the members of
/// all owners, if it is to-many, and one for the rows of all destinations, however many objects there are.
struct Prefetch {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// Follows each path up to a key that is no relationship: Apple's does not refuse such keys.
    func load(_ paths: [String], of objects: [NSManagedObject], entity: NSEntityDescription) throws {
        var reached: [String: [NSManagedObject]] = [:]
        for path in paths {
            var owners = objects
            var owner = entity
            var prefix = ""
            for key in path.split(separator: ".").map(String.init) {
                guard let relationship = owner.relationshipsByName[key], !relationship.isTransient,
                    let destination = relationship.destinationEntity
                else { break }
                prefix += "." + key
                if let known = reached[prefix] {
                    owners = known
                } else {
                    owners = try step(key, from: owners)
                    reached[prefix] = owners
                }
                owner = destination
            }
        }
    }

    /// The objects at the other end, their rows in the row cache.
    private func step(_ key: String, from owners: [NSManagedObject]) throws -> [NSManagedObject] {
        var seen: Set<ObjectReference> = []
        var found: [NSManagedObject] = []
        func add(_ object: NSManagedObject) {
            if seen.insert(ObjectReference(object)).inserted { found.append(object) }
        }
        var unread: [Unread] = []
        for owner in owners where !owner.isDeleted {
            guard let slot = owner.layout.slot(named: key) else { continue }
            if owner.layout.slots[slot].isToOne {
                try destination(of: owner, slot).map(add)
            } else if let members = owner.knownMembers(slot) {
                members.forEach(add)
            } else if let version = try version(of: owner) {
                unread.append((owner, slot, version))
            }
        }
        for (item, named) in zip(unread, try members(of: unread)) {
            let members = context.objects(named)
            item.owner.consumeHints().setMembers(members, slot: item.slot, version: item.version)
            members.forEach(add)
        }
        try context.loadRows(of: NamedObjects.stored(found.lazy.filter(\.isFault)))
        return found
    }

    private typealias Unread = (owner: NSManagedObject, slot: Int, version: Int64)

    /// The members of relationships, parallel to them: one statement for each slot of a root entity.
    private func members(of unread: [Unread]) throws -> [NamedObjects] {
        var result = [NamedObjects](repeating: .ids([]), count: unread.count)
        let groups = Dictionary(grouping: unread.indices) { index in
            let owner = unread[index].owner
            return MemberGroup(
                store: owner.store.map(ObjectIdentifier.init), root: ObjectIdentifier(owner.layout.rootEntity),
                slot: unread[index].slot)
        }
        for (group, indices) in groups {
            guard let reader = try context.reader(of: unread[indices[0]].owner.store) else { continue }
            let lists = try reader.members(of: indices.map { unread[$0].owner }, slot: group.slot)
            for (index, list) in zip(indices, lists) { result[index] = list }
        }
        return result
    }

    private func destination(of owner: NSManagedObject, _ slot: Int) throws -> NSManagedObject? {
        guard owner.isFault else { return owner.destination(slot) }
        return owner.destination(slot, in: try context.storedRow(of: owner, maximumAge: -1))
    }

    private func version(of owner: NSManagedObject) throws -> Int64? {
        if let snapshot = owner.snapshot { return snapshot.version }
        guard owner.key.primaryKey > 0 else { return nil }
        return try context.storedRow(of: owner, maximumAge: -1)?.version
    }
}

extension NSManagedObject {
    /// The members of a to-many as far as they are known without reading.
    fileprivate final func knownMembers(_ slot: Int) -> [NSManagedObject]? {
        guard !isFault, !values.isEmpty, case .toMany(let members) = values[slot] else { return nil }
        return members.loaded?.map(\.object)
    }
}
