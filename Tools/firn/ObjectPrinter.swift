import FirnInspection
import FirnLog
import FirnProjection
import Foundation

/// Fetched rows, for people in columns, for programs in JSON or CSV.
struct ObjectPrinter {
    private let rows: FetchedRows
    private let names: ModelNames
    /// Properties of the fetched entity that have a value of their own, by slot.
    private let properties: [(slot: Int, property: LogProperty)]
    private static let columnWidthMax = 32

    /// - Parameter columns: the names of the properties that are wanted, in order; nil for all.
    init(_ rows: FetchedRows, _ model: LogModel, _ names: ModelNames, entity: EntityNumber, columns: [String]?) {
        self.rows = rows
        self.names = names
        let all = model.entities.first { $0.number == entity }.map(\.storedProperties) ?? []
        properties = columns.map { names in names.compactMap { name in all.first { $0.property.name == name } } } ?? all
    }

    /// The names in a text with commas in between. Throws for one that names no property with a value.
    static func columns(_ text: String, of entity: LogEntity) throws -> [String] {
        let known = entity.storedProperties.map(\.property.name)
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let name = part.trimmingCharacters(in: .whitespaces)
            guard known.contains(name) else {
                throw Failure(
                    "--columns: \(entity.name) has no attribute or to-one relationship “\(name)”"
                        + Suggestion.text(for: name, among: known))
            }
            return name
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
            let longest = ([heading] + cells).map { $0[column].count }.max() ?? 0
            // A value in hexadecimal digits is of use as a whole only.
            let isBinary = column > 0 && properties[column - 1].property.storage == .blob
            return min(isBinary ? 2 * ValueText.hexadecimalMax : Self.columnWidthMax, longest)
        }
        func line(_ cells: [String]) -> String {
            zip(cells, widths).map { Console.padded($0, $1) }.joined(separator: "  ")
        }
        return [Console.styled(line(heading), .dim)] + cells.map(line)
    }

    /// A heading and one line for each object.
    func csvLines(_ limit: Int?) throws -> [String] {
        let heading = CSV.row(["object"] + properties.map(\.property.name))
        return [heading]
            + (try (0..<min(rows.count, limit ?? .max)).map { index in
                CSV.row([name(index)] + (try properties.map { try value(index, $0.slot, $0.property).plain }))
            })
    }

    /// One JSON object for each: `object`, then the properties that are not nil.
    func jsonLines() throws -> [String] {
        try (0..<rows.count).map { index in
            var values = JSONObject()
            for (slot, property) in properties {
                let value = value(index, slot, property)
                if !value.value.isNull { values[property.name] = try value.json }
            }
            return JSONObject(dictionaryLiteral: ("object", .text(name(index))), ("values", .object(values))).line
        }
    }
}
