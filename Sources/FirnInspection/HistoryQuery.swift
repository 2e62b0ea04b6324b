package import FirnLog
package import FirnProjection
import FirnSQLite
import Foundation

/// SQL of a person on a history file, by a connection like any other program's: it has no functions of ours, and writes
/// nothing.
package final class HistoryQuery {
    private let connection: Connection

    package init(_ path: String) throws { connection = try ProjectionFile.connectionForReading(path) }

    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - columns: called once, with the names of the columns.
    ///   - row: called with the values of each row; returns whether to go on.
    package func run(
        _ sql: String, columns: ([String]) -> Void, row: ([PropertyValue]) throws -> Bool
    ) throws {
        let statement: Statement
        do {
            statement = try connection.prepare(written: sql)
        } catch let error as SQLiteError {
            throw HistoryQueryError(message: error.message, isBusy: error.code == .busy)
        }
        guard statement.isReadOnly else {
            throw HistoryQueryError(message: "this statement writes, and the history is only read")
        }
        columns((0..<Int32(statement.columnCount)).map(statement.columnName))
        do {
            while try statement.step() {
                let values = (0..<Int32(statement.columnCount)).map { PropertyValue(statement.value($0)) }
                guard try row(values) else { return }
            }
        } catch let error as SQLiteError {
            throw HistoryQueryError(message: error.message, isBusy: error.code == .busy)
        }
    }

    /// Counts the rows that a table or view has.
    package func count(of name: String) throws -> Int64 {
        try connection.integer("SELECT count(*) FROM \(quoted(name))") ?? 0
    }
}

/// SQLite's message about a person's SQL.
package struct HistoryQueryError: LocalizedError, Sendable {
    package var message: String
    /// Whether another program keeps the file from being read.
    package var isBusy = false

    package var errorDescription: String? { message }
}

extension PropertyValue {
    fileprivate init(_ value: SQLiteValue) {
        switch value {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value)
        case .text(let value): self = .text(value)
        case .blob(let value): self = .blob(value)
        }
    }
}

extension ProjectionError {
    /// The passing obstacle to making a history file.
    package enum HistoryCondition: Sendable {
        case busy
        case outOfSpace
    }

    package static func historyCondition(_ error: any Error) -> HistoryCondition? {
        guard let error = error as? SQLiteError else { return nil }
        if error.isOutOfSpace { return .outOfSpace }
        return error.code == .busy ? .busy : nil
    }
}
