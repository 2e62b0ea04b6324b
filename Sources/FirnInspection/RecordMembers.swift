package import FirnLog

/// The members that to-many relationships gained and lost in one change set. The set tells them elsewhere than at the
/// object: in the to-one of each member, or in links.
package struct RecordMembers: Sendable {
    /// The members that one relationship of one object gained and lost.
    package struct Members: Sendable {
        package var added: [ObjectKey] = []
        package var removed: [ObjectKey] = []

        package var isEmpty: Bool { added.isEmpty && removed.isEmpty }

        /// `+ Course/3 “Latin”, − Course/1 “Greek”`; the first ones.
        package func text(_ name: (ObjectKey) -> String) -> String {
            let all = added.prefix(Self.namedMax).map { "+ " + name($0) }
                + removed.prefix(Self.namedMax).map { "− " + name($0) }
            let rest = added.count + removed.count - Self.namedMax
            return all.prefix(Self.namedMax).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        }

        private static let namedMax = 100
    }

    /// A property through which an object is told to have a member.
    private struct Place: Hashable {
        var object: ObjectKey
        var property: String
    }

    private struct Member {
        var key: ObjectKey
        /// The entity that declares the other side of a link.
        var declarer: EntityNumber
        var isAdded: Bool
    }

    private let names: ModelNames
    private var byToOne: [Place: [Member]] = [:]
    private var bySource: [Place: [Member]] = [:]
    private var byDestination: [ObjectKey: [Member]] = [:]

    /// - Parameter objects: those whose members are asked for.
    package init(_ changes: ChangeSet, of objects: Set<ObjectKey>, _ names: ModelNames) {
        self.names = names
        if objects.isEmpty { return }
        let roots = Set(objects.map(names.root))
        for group in changes.groups { add(group, roots) }
        for group in changes.links {
            guard let name = names.property(group.slot, of: group.entity)?.name else { continue }
            for (isAdded, links) in [(true, group.added), (false, group.removed)] {
                for link in links {
                    let (source, destination) = (names.root(link.source), names.root(link.destination))
                    if roots.contains(source) {
                        bySource[Place(object: source, property: name), default: []].append(
                            Member(key: link.destination, declarer: group.entity, isAdded: isAdded))
                    }
                    if roots.contains(destination) {
                        byDestination[destination, default: []].append(
                            Member(key: link.source, declarer: group.entity, isAdded: isAdded))
                    }
                }
            }
        }
    }

    /// Reads the members of all objects of the change set.
    package init(_ changes: ChangeSet, _ names: ModelNames) {
        let groups = changes.groups.filter { !names.toManySlots(of: $0.entity).isEmpty }
        let objects = groups.flatMap { group in
            group.primaryKeys.map { ObjectKey(entity: group.entity, primaryKey: $0) }
        }
        self.init(changes, of: Set(objects), names)
    }

    private mutating func add(_ group: ChangeGroup, _ roots: Set<ObjectKey>) {
        for (index, slot) in group.slots.enumerated() {
            guard let property = names.property(slot, of: group.entity), case .toOne = property.kind else { continue }
            for row in group.primaryKeys.indices {
                let (old, new) = (group.old.reference(index, row), group.new.reference(index, row))
                if old == new { continue }
                for (isAdded, owner) in [(true, new), (false, old)] {
                    guard let owner = owner.map(names.root), roots.contains(owner) else { continue }
                    let key = ObjectKey(entity: group.entity, primaryKey: group.primaryKeys[row])
                    byToOne[Place(object: owner, property: property.name), default: []].append(
                        Member(key: key, declarer: group.entity, isAdded: isAdded))
                }
            }
        }
    }

    /// The members that a relationship of an object gained and lost. Empty if the order changed alone, or if it cannot
    /// be told: two relationships without a to-one lead to the same entity, and other sides name their links.
    package func members(of object: ObjectKey, _ property: LogProperty) -> Members {
        guard case .toMany(let destination, let inverse, _, let isCanonical) = property.kind else { return Members() }
        let owner = names.root(object)
        let found: [Member]
        if let inverse {
            let name = names.property(inverse, of: destination)?.name ?? ""
            found = (byToOne[Place(object: owner, property: name)] ?? [])
                .filter { names.isEntity($0.key.entity, in: destination) }
        } else if isCanonical {
            found = bySource[Place(object: owner, property: property.name)] ?? []
        } else if names.linkedCount(of: object.entity, to: destination) == 1 {
            found = (byDestination[owner] ?? []).filter {
                names.isEntity($0.declarer, in: destination) || names.isEntity(destination, in: $0.declarer)
            }
        } else {
            found = []
        }
        // A changed position is a removal and an addition.
        let (added, removed) = (Set(found.filter(\.isAdded).map(\.key)), Set(found.filter { !$0.isAdded }.map(\.key)))
        func sorted(_ keys: Set<ObjectKey>) -> [ObjectKey] {
            keys.sorted { ($0.entity, $0.primaryKey) < ($1.entity, $1.primaryKey) }
        }
        return Members(added: sorted(added.subtracting(removed)), removed: sorted(removed.subtracting(added)))
    }
}

extension [Column] {
    fileprivate func reference(_ index: Int, _ row: Int) -> ObjectKey? {
        guard index < count, row < self[index].count, case .reference(let key) = self[index][row] else { return nil }
        return key
    }
}

extension [LinkGroup] {
    /// The number of links that came or went.
    package var linkCount: Int { reduce(0) { $0 + $1.added.count + $1.removed.count } }
}

/// The change of one member of a relationship that no to-one has.
package struct LinkChange {
    package let source: String
    package let relationship: String
    package let destination: String
    package let isAdded: Bool

    /// The members that went, then those that came.
    package static func all(of group: LinkGroup, _ names: ModelNames) -> [LinkChange] {
        let name = names.property(group.slot, of: group.entity)?.name ?? "slot \(group.slot)"
        return [(false, group.removed), (true, group.added)].flatMap { isAdded, links in
            links.map { link in
                LinkChange(
                    source: names.object(link.source), relationship: name,
                    destination: names.object(link.destination), isAdded: isAdded)
            }
        }
    }

    /// A part of the changes of several groups, in their order. The others of a large record are not made.
    package static func part(
        of groups: [LinkGroup], from offset: Int, limit: Int, _ names: ModelNames
    ) -> [LinkChange] {
        var (skipped, result) = (offset, [LinkChange]())
        for group in groups {
            for (keyPath, isAdded) in [(\LinkGroup.removed, false), (\LinkGroup.added, true)] {
                let links = group[keyPath: keyPath]
                var part = group
                (part.removed, part.added) = ([], [])
                let shown = Array(links.dropFirst(skipped).prefix(limit - result.count))
                if isAdded { part.added = shown } else { part.removed = shown }
                result += all(of: part, names)
                skipped -= min(skipped, links.count)
            }
        }
        return result
    }

    package var json: JSONObject {
        return [
            "operation": .text(isAdded ? "link" : "unlink"), "source": .text(source),
            "relationship": .text(relationship), "destination": .text(destination),
        ]
    }
}
