internal import FirnFoundation
internal import FirnSQLite
internal import Foundation

/// Printing of the SQL that fetches, faults and relationships run, on standard error, as Core Data does it.
///
/// Enabled by the launch argument `-com.apple.CoreData.SQLDebug 1` or the environment variable `FIRN_SQL_DEBUG=1`.
/// Level 1 prints the SQL and its duration. Level 2 also prints the values, truncated to 100 characters. Levels 3 and 4
/// also print SQLite's query plan.
/// https://developer.apple.com/documentation/xcode/customizing-the-build-schemes-for-a-project
enum SQLTrace {
    static let level: Int = level(
        arguments: ProcessInfo.processInfo.arguments,
        variable: ProcessInfo.processInfo.environment["FIRN_SQL_DEBUG"])

    static func level(arguments: [String], variable: String?) -> Int {
        if let index = arguments.firstIndex(of: "-com.apple.CoreData.SQLDebug"), index + 1 < arguments.count,
            let level = Int(arguments[index + 1])
        {
            return level
        }
        return variable.flatMap { Int($0) } ?? 0
    }

    fileprivate static func print(_ text: String) { Report.post(text, .info, prefix: "CoreData: ") }
}

extension ProjectionReader {
    /// Runs a statement that reads an object's row or the members of a relationship, and prints its SQL.
    func traced<R>(_ sql: String, _ body: (Statement) throws -> R) throws -> R {
        if SQLTrace.level > 0 { SQLTrace.print("sql: \(sql)") }
        return try connection.withStatement(sql, body)
    }

    /// Binds the values of a plan's statement, runs it, and prints what the trace level demands.
    func traced<R>(
        _ plan: FetchPlan, _ sql: String, count: (R) -> Int, _ body: (Statement) throws -> R
    ) throws -> R {
        let level = SQLTrace.level
        func run() throws -> R {
            try connection.withStatement(sql) { statement in
                try plan.bind(to: statement)
                return try body(statement)
            }
        }
        if level == 0 { return try run() }
        SQLTrace.print("sql: \(sql)")
        let explanation = level > 1 ? try explain(plan, sql) : nil
        for (index, value) in (explanation?.bindings ?? []).enumerated() {
            SQLTrace.print("details: SQLite bind[\(index + 1)] = \(value)")
        }
        if level > 2 {
            for line in explanation?.plan ?? [] { SQLTrace.print("details: query plan: \(line)") }
        }
        let start = ContinuousClock.now
        let result = try run()
        let time = ContinuousClock.now - start
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        SQLTrace.print(
            "annotation: total fetch execution time: \(String(format: "%.4f", seconds))s for "
                + "\(count(result)) rows.")
        return result
    }
}
