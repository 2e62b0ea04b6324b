package import FirnLog

/// What a change set says of one object.
package struct ObjectChange: Sendable {
    package let group: ChangeGroup
    package let row: Int
    package let names: ModelNames

    package init(group: ChangeGroup, row: Int, names: ModelNames) {
        self.group = group
        self.row = row
        self.names = names
    }

    package var key: ObjectKey { ObjectKey(entity: group.entity, primaryKey: group.primaryKeys[row]) }

    package var object: String { "\(names.entity(group.entity))/\(group.primaryKeys[row])" }

    package var json: JSONObject {
        var result = JSONObject()
        result["operation"] = .text("\(group.operation)")
        result["object"] = .text(object)
        for (key, columns) in [("old", group.old), ("new", group.new)] where !columns.isEmpty {
            var values = JSONObject()
            for (index, slot) in group.slots.enumerated() {
                let property = names.property(slot, of: group.entity)
                guard let value = value(columns, index, property) else { continue }
                // An insert or delete names every property that is set in some object of its group.
                if group.operation != .update, value.value.isNull { continue }
                values[property?.name ?? "slot \(slot)"] = value.json
            }
            result[key] = .object(values)
        }
        let touched = group.slots.indices.filter(isTouched)
            .compactMap { names.property(group.slots[$0], of: group.entity)?.name }
        if !touched.isEmpty { result["touched"] = .array(touched.map(JSON.text)) }
        return result
    }

    /// Whether the slot is a to-many relationship, whose members are told elsewhere.
    package func isTouched(_ index: Int) -> Bool {
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
