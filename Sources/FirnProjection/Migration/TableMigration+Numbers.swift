internal import FirnLog
internal import FirnSQLite

/// Attributes that have another numeric type from now on.
extension TableMigration {
    /// SQL for the value of an old column in the new type.
    func converted(_ source: SlotPlace, _ column: String, to target: SlotPlace, _ from: EntityPlace) throws -> String {
        guard case .attribute(let old) = source.kind, case .attribute(let new) = target.kind, old != new else {
            return quoted(column)
        }
        if let range = new.integerRange, old.integerRange != nil {
            try refuseValues(outside: range, source, column, target, from)
        }
        return old.storage == .integer && new.storage == .real ? "CAST(\(quoted(column)) AS REAL)" : quoted(column)
    }

    /// Core Data truncates such values when they are read. Here the migration fails, so that no saved value is lost
    /// silently.
    private func refuseValues(
        outside range: ClosedRange<Int64>, _ source: SlotPlace, _ column: String, _ target: SlotPlace,
        _ from: EntityPlace
    ) throws {
        let found = try connection.integer(
            "SELECT Z_PK FROM \(oldTable(from.tableName)) WHERE Z_ENT = \(from.number.rawValue) "
                + "AND \(quoted(column)) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound) ORDER BY Z_PK LIMIT 1")
        guard let found else { return }
        throw ProjectionError(
            .migration,
            "\(from.name) \(found) has a value of \(source.name) that the narrower type of \(target.name) cannot hold "
                + "(\(range.lowerBound) to \(range.upperBound)); change it first, or keep the type")
    }
}

extension AttributeKind {
    /// The values of an integer type; nil for others.
    fileprivate var integerRange: ClosedRange<Int64>? {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64, .boolean: Int64.min...Int64.max
        default: nil
        }
    }
}
