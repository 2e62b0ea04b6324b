import FirnInspection
import FirnLog
import Foundation

/// Rows with any columns, as they come: for people in columns, for programs in JSON or CSV.
struct TablePrinter {
    enum Form {
        case table
        case json
        case csv
    }

    private let form: Form
    private var columns: [String] = []
    /// The first rows of a table, by which its columns get their widths.
    private var first: [[PropertyValue]] = []
    private var widths: [(width: Int, isRight: Bool)]?
    private var output = Output()
    private(set) var count = 0

    private static let firstMax = 500
    private static let widthMax = 60

    init(_ form: Form) { self.form = form }

    mutating func begin(_ names: [String]) {
        columns = names
        if form == .csv { output.line(CSV.row(names)) }
    }

    /// Returns true: more rows are wanted.
    mutating func add(_ row: [PropertyValue]) -> Bool {
        count += 1
        switch form {
        case .json:
            var object = JSONObject()
            for (name, value) in zip(columns, row) { object[name] = Self.json(value) }
            output.line(object.line)
        case .csv: output.line(CSV.row(row.map(Self.text)))
        case .table:
            guard widths == nil else {
                write(row)
                break
            }
            first.append(row)
            if first.count == Self.firstMax { begin() }
        }
        return true
    }

    mutating func finish() {
        if form == .table, widths == nil, !first.isEmpty { begin() }
        output.flush()
    }

    /// Writes the heading and the first rows.
    private mutating func begin() {
        let sizes = columns.indices.map { column in
            let longest = first.map { Console.printable(Self.text($0[column])).count }.max() ?? 0
            return (
                width: min(Self.widthMax, max(longest, columns[column].count)),
                isRight: first.allSatisfy { $0[column].isNull || $0[column].isNumber }
            )
        }
        widths = sizes
        let heading = zip(columns, sizes).map { Console.padded($0, $1.width, right: $1.isRight) }
        output.line(Console.styled(heading.joined(separator: "  "), .dim))
        for row in first { write(row) }
        first = []
    }

    private mutating func write(_ row: [PropertyValue]) {
        let cells = zip(row, widths ?? []).map { Console.padded(Self.text($0), $1.width, right: $1.isRight) }
        var line = cells.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        output.line(line)
    }

    /// Nothing for NULL; binary values in base64.
    private static func text(_ value: PropertyValue) -> String {
        switch value {
        case .null, .reference: ""
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value
        case .blob(let bytes): Data(bytes).base64EncodedString()
        }
    }

    private static func json(_ value: PropertyValue) -> JSON {
        switch value {
        case .null, .reference: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text, .blob: .text(text(value))
        }
    }
}

extension PropertyValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .real: true
        case .null, .text, .blob, .reference: false
        }
    }
}
