package import FirnLog
package import FirnSQLite

/// The rows that a dictionary fetch returned.
package struct DictionaryRows: Sendable {
    package let columns: [DictionaryColumn]
    /// One array a row, parallel to `columns`.
    package let rows: [[PropertyValue]]
}

/// How SQLite answers a fetch.
package struct FetchExplanation: Sendable, CustomStringConvertible {
    package var sql: String
    package var bindings: [String]
    /// SQLite's query plan, indented as a tree (https://www.sqlite.org/eqp.html).
    package var plan: [String]

    package var description: String {
        ([sql] + bindings.enumerated().map { "  ?\($0 + 1) = \($1)" } + plan).joined(separator: "\n")
    }
}

extension ProjectionReader {
    /// The rows that a fetch returns, in its order.
    package func rows(_ plan: FetchPlan, _ monitor: FetchMonitor? = nil) throws -> FetchedRows {
        let plan = fitted(plan)
        return try traced(plan, plan.rowsSQL, count: \.count) { statement in
            var collector = RowCollector(plan.shape)
            try FetchMonitor.watch(monitor, connection) { _ = try collector.collect(statement, monitor) }
            return collector.finish()
        }
    }

    /// Calls `use` with the same rows in parts. Another thread reads the next part meanwhile. With a monitor all rows
    /// come in one part.
    package func forEachPart(
        _ plan: FetchPlan, _ monitor: FetchMonitor?, _ use: (FetchedRows) throws -> Void
    ) throws {
        if monitor != nil { return try use(rows(plan, monitor)) }
        let plan = fitted(plan)
        if plan.isSingleRow {
            return try use(traced(plan, plan.rowsSQL, count: { $0.count }) { try plan.shape.firstRow($0) })
        }
        try inParts(plan, plan.rowsSQL, count: \.count, use) { statement in
            var collector = RowCollector(plan.shape)
            let isLast = try collector.collect(statement, upTo: Self.partCount, bytes: Self.partSize)
            return (collector.finish(), isLast)
        }
    }

    /// The identities of the rows that a fetch returns, in its order.
    package func keys(_ plan: FetchPlan, _ monitor: FetchMonitor? = nil) throws -> [ObjectKey] {
        let plan = fitted(plan)
        return try traced(plan, plan.keysSQL, count: \.count) { statement in
            try FetchMonitor.watch(monitor, connection) { try statement.objectKeys(monitor) }
        }
    }

    /// Calls `use` with the same identities, part after part, as `forEachPart` does with rows.
    package func forEachPartOfKeys(
        _ plan: FetchPlan, _ monitor: FetchMonitor?, _ use: ([ObjectKey]) throws -> Void
    ) throws {
        if monitor != nil { return try use(keys(plan, monitor)) }
        let plan = fitted(plan)
        try inParts(plan, plan.keysSQL, count: \.count, use) { statement in
            var keys: [ObjectKey] = []
            let isLast = try statement.appendKeys(to: &keys, upTo: Self.partCount)
            return (keys, isLast)
        }
    }

    /// Rows in a part: some milliseconds of work, much more than starting a thread takes.
    private static var partCount: Int { 4_096 }
    /// Bytes of texts and blobs in a part, so that large rows are not all in memory at once.
    private static var partSize: Int { 8 << 20 }

    private func inParts<Part>(
        _ plan: FetchPlan, _ sql: String, count: (Part) -> Int, _ use: (Part) throws -> Void,
        _ read: @escaping (Statement) throws -> (part: Part, isLast: Bool)
    ) throws {
        _ = try traced(plan, sql, count: { $0 }) { statement in
            var total = 0
            try Prefetcher.forEach({ try read(statement) }) { part in
                total += count(part)
                try use(part)
            }
            return total
        }
    }

    /// How many rows a fetch returns, its limit and offset included.
    package func count(_ plan: FetchPlan) throws -> Int {
        let plan = fitted(plan)
        return try traced(plan, plan.countSQL, count: { _ in 1 }) { statement in
            try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    /// The columns of a request with `dictionaryResultType`.
    package func dictionaries(_ plan: FetchPlan, _ monitor: FetchMonitor? = nil) throws -> DictionaryRows {
        let entities = plan.entityColumns
        var rows: [[PropertyValue]] = []
        try run(plan, monitor) { statement in
            while try statement.step() {
                monitor?.rowRead()
                rows.append(statement.dictionaryRow(plan.columns, entities))
            }
            return rows.count
        }
        return DictionaryRows(columns: plan.columns, rows: rows)
    }

    /// Calls `body` with the statement of a request with `dictionaryResultType`, before its first row. `body` steps
    /// through the rows and returns their count.
    package func run(_ plan: FetchPlan, _ monitor: FetchMonitor? = nil, _ body: (Statement) throws -> Int) throws {
        guard !plan.columns.isEmpty else {
            fatalError("plan a request whose resultType is dictionaryResultType")
        }
        let plan = fitted(plan)
        _ = try traced(plan, plan.dictionariesSQL, count: { $0 }) { statement in
            try FetchMonitor.watch(monitor, connection) { try body(statement) }
        }
    }

    /// The SQL of a fetch, its values, and how SQLite will run it.
    package func explain(_ plan: FetchPlan) throws -> FetchExplanation {
        let plan = fitted(plan)
        return try explain(plan, plan.columns.isEmpty ? plan.rowsSQL : plan.dictionariesSQL)
    }

    private func fitted(_ plan: FetchPlan) -> FetchPlan { sequence == nil ? plan : plan.withoutIndexTables }

    /// How SQLite runs one statement of a plan.
    func explain(_ plan: FetchPlan, _ sql: String) throws -> FetchExplanation {
        var depths: [Int64: Int] = [:]
        var lines: [String] = []
        try connection.withStatement("EXPLAIN QUERY PLAN " + sql) { statement in
            try plan.bind(to: statement)
            while try statement.step() {
                let depth = depths[statement.integer(1)].map { $0 + 1 } ?? 0
                depths[statement.integer(0)] = depth
                lines.append(String(repeating: "  ", count: depth) + statement.text(3))
            }
        }
        return FetchExplanation(sql: sql, bindings: plan.bindings.map(\.text), plan: lines)
    }
}

extension FetchPlan.Binding {
    /// For people.
    var text: String {
        switch self {
        case .list(let list): "a list of \(list.count)"
        case .value(.null): "NULL"
        case .value(.integer(let value)): String(value)
        case .value(.real(let value)): "\(value)"
        case .value(.text(let value)): "'\(value.prefix(100))'"
        case .value(.blob(let value)): "\(value.count) bytes"
        case .value(.reference(let key)): "object \(key.primaryKey)"
        }
    }
}

extension Statement {
    fileprivate func dictionaryRow(_ columns: [DictionaryColumn], _ entities: [Int32]) -> [PropertyValue] {
        columns.indices.map { propertyValue(Int32($0), columns[$0], entities[$0]) }
    }

    private func propertyValue(_ position: Int32, _ column: DictionaryColumn, _ entity: Int32) -> PropertyValue {
        switch value(position) {
        case .null: return .null
        case .integer(let value):
            if entity >= 0 {
                return .reference(ObjectKey(entity: EntityNumber(stored: integer(entity)), primaryKey: value))
            }
            if case .attribute(let kind) = column.kind, kind.storage == .real {
                return .real(Double(value))
            }
            return .integer(value)
        case .real(let value): return .real(value)
        case .text(let value):
            if case .attribute(let kind) = column.kind, kind.storage == .real { return .real(.nan) }
            return .text(value)
        case .blob(let value): return .blob(value)
        }
    }
}
