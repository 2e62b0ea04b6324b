import FirnLog
import FirnProjection

/// Fetched rows, for people in columns, for programs in JSON.
struct ObjectPrinter {
    private let rows: FetchedRows
    private let names: ModelNames
    /// Properties of the fetched entity that have a value of their own, by slot.
    private let properties: [(slot: Int, property: LogProperty)]
    private static let columnWidthMax = 32

    init(_ rows: FetchedRows, _ model: LogModel, _ names: ModelNames, entity: EntityNumber) {
        self.rows = rows
        self.names = names
        let described = model.entities.first { $0.number == entity }
        properties = (described?.properties ?? []).enumerated().compactMap { slot, property in
            if case .position = property.kind { return nil }
            return property.storage == .none ? nil : (slot, property)
        }
    }

    private func value(_ index: Int, _ slot: Int, _ property: LogProperty) -> ValueText {
        let (batch, row) = rows[index]
        return ValueText(value: batch.value(at: row, slot: slot), property: property, names: names)
    }

    private func name(_ index: Int) -> String {
        let key = rows.key(at: index)
        return "\(names.entity(key.entity))/\(key.primaryKey)"
    }

    /// A heading and one line for each object; nil values are blank.
    var tableLines: [String] {
        let heading = ["object"] + properties.map(\.property.name)
        let cells = (0..<rows.count).map { index in
            [name(index)]
                + properties.map { slot, property in
                    let value = value(index, slot, property)
                    return value.value.isNull ? "" : Console.printable(value.short)
                }
        }
        let widths = heading.indices.map { column in
            min(Self.columnWidthMax, ([heading] + cells).map { $0[column].count }.max() ?? 0)
        }
        func line(_ cells: [String]) -> String {
            zip(cells, widths).map { Console.padded($0, $1) }.joined(separator: "  ")
        }
        return [Console.styled(line(heading), .dim)] + cells.map(line)
    }

    /// One JSON object for each: `object`, then the properties that are not nil.
    var jsonLines: [String] {
        (0..<rows.count).map { index in
            var object = JSONObject()
            object["object"] = .text(name(index))
            var values = JSONObject()
            for (slot, property) in properties {
                let value = value(index, slot, property)
                if !value.value.isNull { values[property.name] = value.json }
            }
            object["values"] = .object(values)
            return object.line
        }
    }
}
