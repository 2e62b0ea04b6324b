internal import FirnLog
internal import FirnSQLite

/// Keeps the tables at the state after the last change set: one row an object.
///
/// A change set that does not fit the rows is refused: the projection then differs from the log.
final class RowWriter: ChangeApplying {
    private let connection: Connection
    private let layout: TableLayout
    private var statements: GroupStatements
    /// From this count of rows on, one run of a statement for all rows is faster than a run for each.
    private let manyRows = 8

    init(_ connection: Connection, layout: TableLayout) {
        self.connection = connection
        self.layout = layout
        statements = GroupStatements(connection)
    }

    func apply(_ group: ChangeGroup, at sequence: SequenceNumber, versions: [Int64]?) throws {
        let place = layout.existingPlace(group.entity)
        switch group.operation {
        case .insert: try insert(group, place, sequence, versions)
        case .update: try update(group, place, sequence)
        case .delete: try delete(group, place)
        case .refresh: break
        }
    }

    private func insert(
        _ group: ChangeGroup, _ place: EntityPlace, _ sequence: SequenceNumber, _ versions: [Int64]?
    ) throws {
        let names = { ["Z_PK", "Z_ENT", "Z_OPT"] + place.columnNames(group.slots) }
        // A slot has at most two columns, after three others.
        if group.primaryKeys.count >= manyRows, 2 * group.slots.count + 3 <= RowSource.columnCountMax {
            return try insertTogether(group, place, sequence, versions, names)
        }
        let statement = try statements.statement(for: group) {
            let names = names()
            let marks = names.indices.map { "?\($0 + 1)" }.joined(separator: ",")
            return "INSERT INTO \(quoted(place.tableName))(\(names.joined(separator: ","))) "
                + "VALUES (\(marks))"
        }
        try run(statement, group, place, sequence, "inserts", versions)
    }

    /// Inserts many rows by one run of a statement.
    private func insertTogether(
        _ group: ChangeGroup, _ place: EntityPlace, _ sequence: SequenceNumber, _ versions: [Int64]?,
        _ names: () -> [String]
    ) throws {
        let shape = GroupShape(entity: group.entity, operation: .insert, slots: group.slots, isMultiRow: true)
        let statement = try statements.statement(for: shape) {
            let names = names()
            let columns = names.indices.map { "c\($0)" }.joined(separator: ",")
            // With FAIL, SQLite needs no journal to undo this one statement. The caller rolls back the whole
            // transaction.
            return "INSERT OR FAIL INTO \(quoted(place.tableName))(\(names.joined(separator: ","))) "
                + "SELECT \(columns) FROM \(try connection.rowSource(columnCount: names.count))(?1)"
        }
        let count = group.primaryKeys.count
        try BoundColumn.withPointers(place.boundColumns(group.slots, group.new)) { columns in
            try group.primaryKeys.withUnsafeBufferPointer { keys in
                try (versions ?? []).withUnsafeBufferPointer { versions in
                    let version: ColumnPointer.Values =
                        versions.isEmpty ? .constant(Int64(sequence.rawValue)) : .integers(versions)
                    let header = [.integers(keys), .constant(Int64(group.entity.rawValue)), version]
                        .map { ColumnPointer($0) }
                    // The rows before the refused one were inserted.
                    let refused = { "\(place.name) \(keys[min(Int(self.connection.changeCount), count - 1)])" }
                    try attempt(sequence, "inserts", refused) {
                        try statement.run(rows: header + columns, count: count, at: 1)
                    }
                }
            }
        }
        guard connection.changeCount == Int64(count) else {
            throw ProjectionError(
                .inconsistent,
                "change set \(sequence) inserts \(count) \(place.name), but only \(connection.changeCount) were "
                    + "inserted; rebuild the projection", path: connection.path)
        }
    }

    private func update(_ group: ChangeGroup, _ place: EntityPlace, _ sequence: SequenceNumber) throws {
        let statement = try statements.statement(for: group) {
            let names = place.columnNames(group.slots)
            let sets = ["Z_OPT=?3"] + names.enumerated().map { "\($1)=?\($0 + 4)" }
            return "UPDATE \(quoted(place.tableName)) SET \(sets.joined(separator: ",")) "
                + "WHERE Z_PK=?1 AND Z_ENT=?2"
        }
        try run(statement, group, place, sequence, "updates")
    }

    /// Runs a statement with the parameters key, entity, sequence number and columns for each row of a group.
    private func run(
        _ statement: Statement, _ group: ChangeGroup, _ place: EntityPlace,
        _ sequence: SequenceNumber, _ verb: String, _ versions: [Int64]? = nil
    ) throws {
        try statement.forEachRow(of: group, place, sequence, versions, columnsAt: 4) { key in
            try run(statement, sequence, verb) { "\(place.name) \(key)" }
        }
    }

    /// One statement for each run of consecutive keys: SQLite goes from row to row, and finds each index's entry.
    private func delete(_ group: ChangeGroup, _ place: EntityPlace) throws {
        let shape = GroupShape(entity: group.entity, operation: .delete, slots: [])
        let statement = try statements.statement(for: shape) {
            "DELETE FROM \(quoted(place.tableName)) WHERE Z_PK BETWEEN ?1 AND ?2 AND Z_ENT=?3"
        }
        defer { statement.clearBindings() }
        try statement.bind(Int64(group.entity.rawValue), at: 3)
        try group.primaryKeys.forEachRun { keys in
            try statement.bind(keys.lowerBound, at: 1)
            try statement.bind(keys.upperBound, at: 2)
            try statement.run()
            guard connection.changeCount == Int64(keys.count) else {
                let names = keys.count == 1 ? "\(keys.lowerBound)" : "\(keys.lowerBound) to \(keys.upperBound)"
                throw ProjectionError(
                    .inconsistent,
                    "a change set deletes \(place.name) \(names), of which \(connection.changeCount) "
                        + "\(connection.changeCount == 1 ? "is" : "are") there; rebuild the projection",
                    path: connection.path)
            }
        }
    }

    func apply(_ group: LinkGroup, at sequence: SequenceNumber) throws {
        let table = try layout.linkTable(of: group)
        let name = quoted(table.name)
        if !group.removed.isEmpty {
            try connection.withStatement("DELETE FROM \(name) WHERE Z_SRC=?1 AND Z_DST=?2") { statement in
                for link in group.removed {
                    try statement.bind(link.source.primaryKey, at: 1)
                    try statement.bind(link.destination.primaryKey, at: 2)
                    try run(statement, sequence, "removes") { table.text(of: link) }
                }
            }
        }
        if !group.added.isEmpty {
            let columns = table.columns
            let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ",")
            let sql = "INSERT INTO \(name)(\(columns.joined(separator: ","))) VALUES (\(marks))"
            try connection.withStatement(sql) { statement in
                for link in group.added {
                    try statement.bind(table.values(of: link))
                    try run(statement, sequence, "adds") { table.text(of: link) }
                }
            }
        }
    }

    /// Changes one row or link. `what` names it in errors.
    private func run(
        _ statement: Statement, _ sequence: SequenceNumber, _ verb: String, _ what: () -> String
    ) throws {
        try attempt(sequence, verb, what, statement.run)
        guard connection.changeCount == 1 else {
            throw ProjectionError(
                .inconsistent, "change set \(sequence) \(verb) \(what()), which is not there; rebuild the projection",
                path: connection.path)
        }
    }

    /// Runs `body`. If a row exists already, throws an error that names it.
    private func attempt(
        _ sequence: SequenceNumber, _ verb: String, _ what: () -> String, _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let error as SQLiteError where error.code == .constraint {
            throw ProjectionError(
                .inconsistent,
                "change set \(sequence) \(verb) \(what()), which is there already; rebuild the projection",
                path: connection.path, underlying: error)
        }
    }
}

extension Statement {
    /// Binds key, entity, sequence number and, from `first` on, the columns of each row of a group, and calls `run`.
    func forEachRow(
        of group: ChangeGroup, _ place: EntityPlace, _ sequence: SequenceNumber, _ versions: [Int64]?,
        columnsAt first: Int32, run: (Int64) throws -> Void
    ) throws {
        try BoundColumn.withPointers(place.boundColumns(group.slots, group.new)) { columns in
            defer { clearBindings() }
            try bind(Int64(group.entity.rawValue), at: 2)
            try bind(Int64(sequence.rawValue), at: 3)
            for (row, key) in group.primaryKeys.enumerated() {
                try bind(key, at: 1)
                if let versions { try bind(versions[row], at: 3) }
                for (index, column) in columns.enumerated() {
                    try column.bind(row, to: self, at: first + Int32(index))
                }
                try run(key)
            }
        }
    }
}

extension [Int64] {
    /// Calls `body` with each run of consecutive numbers, lowest first. A number that occurs twice is in two runs.
    func forEachRun(_ body: (ClosedRange<Int64>) throws -> Void) rethrows {
        let ascending = zip(self, dropFirst()).allSatisfy(<) ? self : sorted()
        guard var first = ascending.first else { return }
        var last = first
        for number in ascending.dropFirst() {
            if number != last &+ 1 {
                try body(first...last)
                first = number
            }
            last = number
        }
        try body(first...last)
    }
}

extension TableLayout {
    func linkTable(of group: LinkGroup) throws -> LinkTable {
        let slots = existingPlace(group.entity).slots
        guard Int(group.slot) < slots.count, let link = slots[Int(group.slot)].link else {
            throw ProjectionError(
                .inconsistent,
                "a change set has links for slot \(group.slot) of entity \(group.entity.rawValue), "
                    + "which is no relationship with a link table")
        }
        return links[link.table]
    }
}

extension LinkTable {
    fileprivate func text(of link: Link) -> String {
        "the link \(link.source.primaryKey) to \(link.destination.primaryKey) in \(name)"
    }

    /// In the order of `columns`.
    func values(of link: Link) -> [Int64] {
        [link.source.primaryKey, link.destination.primaryKey]
            + (hasSourceEntity ? [Int64(link.source.entity.rawValue)] : [])
            + (hasDestinationEntity ? [Int64(link.destination.entity.rawValue)] : [])
            + (hasSourceOrder ? [link.sourceOrder] : [])
            + (hasDestinationOrder ? [link.destinationOrder] : [])
    }
}
