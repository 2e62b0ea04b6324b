package import FirnLog

/// The change of one object in a change set.
package struct LoggedChange: Sendable {
    package let group: ChangeGroup
    package let row: Int
    package let names: ModelNames
    /// The to-many relationships whose members changed, as far as the change set tells.
    package let relationships: [Relationship]

    /// The change of the members of one relationship.
    package struct Relationship: Sendable {
        package let name: String
        package let members: RecordMembers.Members
        /// Whether the order changed, and nothing else.
        package var isReordered: Bool { members.isEmpty }
    }

    /// - Parameter members: those of the change set, to name the members that came and went.
    package init(group: ChangeGroup, row: Int, names: ModelNames, members: RecordMembers? = nil) {
        self.group = group
        self.row = row
        self.names = names
        let key = ObjectKey(entity: group.entity, primaryKey: group.primaryKeys[row])
        let slots = members == nil ? [] : names.toManySlots(of: group.entity)
        relationships = slots.compactMap { slot, property in
            guard let members = members?.members(of: key, property),
                case .toMany(_, let inverse, let isOrdered, let isCanonical) = property.kind
            else { return nil }
            // Members that cannot be told may have come, so that no word of the order is said.
            let isTold = inverse != nil || isCanonical
            let isTouched = group.slots.firstIndex(of: slot).map { Self.isTouched(group, $0) } ?? false
            guard !members.isEmpty || isOrdered && isTold && isTouched else { return nil }
            return Relationship(name: property.name, members: members)
        }
    }

    /// The changes of an object, which is named as it is now, in a record, or its row in a part of a baseline.
    ///
    /// - Parameter names: those for a model, by the record that carries it.
    package static func all(
        of name: ObjectName, in record: LogRecord, of log: SegmentLog, _ names: (SequenceNumber) throws -> ModelNames
    ) throws -> [LoggedChange] {
        guard let changes = record.rows, let current = try log.currentModel?.sequence,
            let key = try log.key(of: name.entity, name.key, at: changes.model, namedAt: current)
        else { return [] }
        let names = try names(changes.model)
        return changes.groups.compactMap { group in
            guard group.entity == key.entity, let row = group.primaryKeys.firstIndex(of: key.primaryKey)
            else { return nil }
            let members = RecordMembers(changes, of: [key], names)
            // Of a large group nothing else is held.
            return LoggedChange(group: group.only(row), row: 0, names: names, members: members)
        }
    }

    package var key: ObjectKey { ObjectKey(entity: group.entity, primaryKey: group.primaryKeys[row]) }

    package var object: String { names.object(key) }

    /// The names of the to-many relationships whose members changed, according to the change set.
    package var touched: [String] {
        group.slots.indices.filter(isTouched).compactMap { names.property(group.slots[$0], of: group.entity)?.name }
    }

    /// The object as one JSON object. Throws for a large value that cannot be read.
    ///
    /// - Parameters:
    ///   - property: the only property that is wanted; nil for all.
    ///   - hasPositions: whether the columns that keep the order of relationships are wanted too, to read them back.
    package func json(only property: String? = nil, hasPositions: Bool = false) throws(LogError) -> JSONObject {
        var result: JSONObject = ["operation": .text("\(group.operation)"), "object": .text(object)]
        for (key, columns) in [("old", group.old), ("new", group.new)] where !columns.isEmpty {
            var values = JSONObject()
            for (index, slot) in group.slots.enumerated() {
                let described = names.property(slot, of: group.entity)
                if case .position? = described?.kind, !hasPositions { continue }
                guard let value = value(columns, index, described) else { continue }
                // An insert or delete names every property that is set in some object of its group.
                if group.operation != .update, value.value.isNull { continue }
                let name = described?.name ?? "slot \(slot)"
                if name == property ?? name { values[name] = try value.json }
            }
            result[key] = .object(values)
        }
        let touched = touched.filter { $0 == property ?? $0 }
        if !touched.isEmpty { result["touched"] = .array(touched.map(JSON.text)) }
        let relationships = relationships.filter { $0.name == property ?? $0.name }
        if !relationships.isEmpty {
            var members = JSONObject()
            for relationship in relationships { members[relationship.name] = .object(relationship.json(names)) }
            result["members"] = .object(members)
        }
        return result
    }

    /// Whether the change is, among others, one of a property.
    package func mentions(_ property: String) -> Bool {
        relationships.contains { $0.name == property } || touched.contains(property)
            || group.slots.indices.contains { index in
                let described = names.property(group.slots[index], of: group.entity)
                guard described?.name == property else { return false }
                if group.operation == .update { return true }
                return [group.old, group.new].contains { value($0, index, described).map { !$0.value.isNull } ?? false }
            }
    }

    /// The property's name in each slot, with the value that was saved and the one before, where the record has them.
    /// Columns of positions and of members are left out.
    package var values: [(name: String, old: ValueText?, new: ValueText?)] {
        group.slots.indices.compactMap { index in
            let property = names.property(group.slots[index], of: group.entity)
            if case .position? = property?.kind { return nil }
            let (old, new) = (value(group.old, index, property), value(group.new, index, property))
            return old == nil && new == nil ? nil : (property?.name ?? "slot \(group.slots[index])", old, new)
        }
    }

    /// The objects that the change relates to the object: values of to-one relationships, members that came and went.
    package var related: [String] {
        let toOne = values.flatMap { [$0.old, $0.new] }.compactMap(\.self).filter(\.isReference).compactMap(\.text)
        return toOne + relationships.flatMap { $0.members.added + $0.members.removed }.map(names.object)
    }

    /// Whether the slot is a to-many relationship, whose members are told elsewhere.
    package func isTouched(_ index: Int) -> Bool { Self.isTouched(group, index) }

    private static func isTouched(_ group: ChangeGroup, _ index: Int) -> Bool {
        guard index < group.new.count, case .touched = group.new[index].values else { return false }
        return true
    }

    /// A value of the row in one of the group's columns, old or new; nil where there is none.
    package func value(_ columns: [Column], _ index: Int, _ property: LogProperty?) -> ValueText? {
        guard index < columns.count, row < columns[index].count, columns[index].type != .none else {
            return nil
        }
        return ValueText(value: columns[index][row], property: property, names: names)
    }
}

extension LogRecord {
    /// The changes, or the rows of a part of a baseline.
    package var rows: ChangeSet? {
        switch body {
        case .changes(let changes), .baseline(.rows(let changes, _)): changes
        default: nil
        }
    }
}

extension ChangeGroup {
    /// The group with one of its rows.
    fileprivate func only(_ row: Int) -> ChangeGroup {
        func only(_ column: Column) -> Column {
            var result = Column(column.type)
            if column.type == .none { result.appendTouched() } else { result.append(column[row]) }
            return result
        }
        return ChangeGroup(
            entity: entity, operation: operation, primaryKeys: [primaryKeys[row]], slots: slots,
            new: new.map(only), old: old.map(only))
    }
}

extension LoggedChange.Relationship {
    package func json(_ names: ModelNames) -> JSONObject {
        func array(_ keys: [ObjectKey]) -> JSON { .array(keys.map { .text(names.object($0)) }) }
        return [
            "added": members.added.isEmpty ? nil : array(members.added),
            "removed": members.removed.isEmpty ? nil : array(members.removed),
            "reordered": isReordered ? .bool(true) : nil,
        ]
    }
}
