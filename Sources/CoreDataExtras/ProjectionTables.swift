import FirnSQLite
public import Foundation

/// A projection's tables, in one transaction. Valid during the call that hands it out.
public final class ProjectionTables {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Runs one statement of SQL with values for `?1`, `?2` …. Statements are prepared once.
    public func execute(_ sql: String, _ values: [ProjectionValue] = []) throws {
        try connection.withStatement(sql) { statement in
            try bind(values, to: statement)
            try statement.run()
        }
    }

    /// The rows of a query.
    public func rows(_ sql: String, _ values: [ProjectionValue] = []) throws -> [[ProjectionValue]] {
        try connection.withStatement(sql) { statement in
            try bind(values, to: statement)
            var rows: [[ProjectionValue]] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { ProjectionValue(statement.value(Int32($0))) })
            }
            return rows
        }
    }

    private func bind(_ values: [ProjectionValue], to statement: Statement) throws {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .null: try statement.bindNull(at: place)
            case .integer(let value): try statement.bind(value, at: place)
            case .real(let value): try statement.bind(value, at: place)
            case .text(let value): try statement.bind(value, at: place)
            case .blob(let value): try statement.bind(Array(value), at: place)
            }
        }
    }
}

extension ProjectionValue {
    fileprivate init(_ value: SQLiteValue) {
        switch value {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value)
        case .text(let value): self = .text(value)
        case .blob(let bytes): self = .blob(Data(bytes))
        }
    }
}

/// A value in a row.
public enum ProjectionValue: Hashable, Sendable {
    /// No value.
    case null
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case blob(Data)
}

extension ProjectionValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(nilLiteral: ()) { self = .null }
}
