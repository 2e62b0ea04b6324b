package import FirnLog

/// A record of changes in a person's words: each object by its name while they are few, else their numbers.
///
///     changed Book/7 “Emma”: pages 300 → 310
///     created 12 Book, 3 Author; changed 2 Tag
package struct RecordSentence {
    /// One operation, and the objects that it was done with.
    package struct Clause {
        package let operation: ChangeGroup.Operation
        /// `changed`
        package let verb: String
        /// `Book/7 “Emma”: pages 300 → 310`
        package let text: String
    }

    /// Finds a value of an object that the record does not have: in the tables, for instance.
    package typealias Lookup = (ObjectKey, UInt16) -> PropertyValue?

    package let clauses: [Clause]

    /// The most objects that are named.
    private static let objectsMax = 3

    /// O(objects) where they are few, else O(groups).
    package init(_ changes: ChangeSet, _ names: ModelNames, _ lookup: Lookup) {
        let count = changes.groups.reduce(0) { $0 + $1.primaryKeys.count }
        let operations: [ChangeGroup.Operation] = [.insert, .update, .delete, .refresh]
        if count > Self.objectsMax {
            clauses = operations.compactMap { operation in
                var counts: [String: Int] = [:]
                for group in changes.groups where group.operation == operation {
                    counts[names.entity(group.entity), default: 0] += group.primaryKeys.count
                }
                if counts.isEmpty { return nil }
                let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                return Clause(operation: operation, verb: operation.verb, text: parts.joined(separator: ", "))
            }
        } else {
            let members = RecordMembers(changes, names)
            clauses = operations.flatMap { operation in
                changes.groups.filter { $0.operation == operation }.flatMap { group in
                    group.primaryKeys.indices.map { row in
                        let change = LoggedChange(group: group, row: row, names: names, members: members)
                        return Clause(operation: operation, verb: operation.verb, text: change.phrase(lookup))
                    }
                }
            }
        }
    }

    /// The clauses in a row.
    package var text: String { clauses.map { "\($0.verb) \($0.text)" }.joined(separator: "; ") }
}

extension ChangeGroup.Operation {
    var verb: String {
        switch self {
        case .insert: "created"
        case .update: "changed"
        case .delete: "deleted"
        case .refresh: "took back changes of"
        }
    }
}

extension LoggedChange {
    /// The most properties of a changed object that are named.
    private static let propertiesMax = 3

    /// `Book/7 “Emma”: pages 300 → 310`
    fileprivate func phrase(_ lookup: RecordSentence.Lookup) -> String {
        let name = object + (title(lookup).map { " “\($0)”" } ?? "")
        if group.operation != .update { return name }
        let details = details(lookup, differing: true)
        let shown = details.prefix(Self.propertiesMax).map { "\($0.name) \($0.text)" }.joined(separator: ", ")
        let rest = details.count - Self.propertiesMax
        return name + (shown.isEmpty ? "" : ": " + shown) + (rest > 0 ? " and \(rest) more" : "")
    }

    /// The object's name, title, number or identifier. Nil if it has none of these.
    package func title(_ lookup: RecordSentence.Lookup) -> String? {
        names.title(of: group.entity) { slot in
            let own = group.slots.firstIndex(of: slot).flatMap { index in
                value(group.new, index, nil) ?? value(group.old, index, nil)
            }
            return own?.value ?? lookup(key, slot)
        }
    }

    private func valueDetails(_ lookup: RecordSentence.Lookup, differing: Bool) -> [(name: String, text: String)] {
        group.slots.indices.compactMap { index in
            let property = names.property(group.slots[index], of: group.entity)
            if case .position? = property?.kind { return nil }
            if differing, let old = value(group.old, index, property), let new = value(group.new, index, property),
                old.value == new.value
            {
                return nil
            }
            let name = property?.name ?? "slot \(group.slots[index])"
            return values(index, property, lookup).map { (name, $0) }
        }
    }

    /// The properties that were saved, in a person's words, each with old and new value, or with the members that came
    /// and went.
    ///
    /// - Parameters:
    ///   - lookup: finds values that name the objects in them.
    ///   - differing: whether those are left out that were saved as they were.
    package func details(
        _ lookup: RecordSentence.Lookup = { _, _ in nil }, differing: Bool = false
    ) -> [(name: String, text: String)] {
        let members = relationships.map { relationship in
            (
                relationship.name,
                relationship.isReordered ? "order changed" : relationship.members.text { names.named($0, lookup) }
            )
        }
        let details = valueDetails(lookup, differing: differing) + members
        guard details.isEmpty, group.operation == .update, let positionOwner else { return details }
        return [(positionOwner, "position changed")]
    }

    /// The to-one in whose inverse, an ordered relationship, the object has another position; nil if it has none.
    private var positionOwner: String? {
        for slot in group.slots {
            guard case .position(let toOne)? = names.property(slot, of: group.entity)?.kind else { continue }
            return names.property(toOne, of: group.entity)?.name
        }
        return nil
    }

    private func values(_ index: Int, _ property: LogProperty?, _ lookup: RecordSentence.Lookup) -> String? {
        if isTouched(index) {
            return relationships.contains { $0.name == property?.name } ? nil : "members changed"
        }
        func brief(_ columns: [Column]) -> String? {
            guard let value = value(columns, index, property) else { return nil }
            if case .reference(let key) = value.value { return names.named(key, lookup) }
            return value.brief
        }
        let (old, new) = (brief(group.old), brief(group.new))
        switch (old, new) {
        case (let old?, let new?): return old + " → " + new
        case (nil, "nil"?), ("nil"?, nil), (nil, nil): return nil
        default: return old ?? new
        }
    }
}
