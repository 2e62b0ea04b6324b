package import FirnLog
internal import FirnSQLite

extension TemporalProjection {
    /// The records after `start` and up to `end` that made a version of an object, or ended its last one.
    package func records(
        of key: ObjectKey, after start: SequenceNumber, through end: SequenceNumber, limit: Int, newestFirst: Bool
    ) throws -> [SequenceNumber] {
        let place = layout.existingPlace(key.entity)
        // A version that was valid at the end of its era has its end where it is copied to.
        let sql = "SELECT Z_FROM, Z_TO FROM \(TableLayout.versions(of: place.tableName)) "
            + "WHERE Z_PK = ?1 AND Z_TO > ?2 AND Z_FROM <= ?3 AND Z_ENT = ?4 "
            + "AND (Z_TO < \(VersionWriter.open) OR Z_ID >= ?5) ORDER BY Z_TO\(newestFirst ? " DESC" : "")"
        let (start, end) = (Int64(start.rawValue), Int64(end.rawValue))
        return try reading { connection in
            let era = try VersionEra(place.table, on: connection)
            return try connection.withStatement(sql) { statement in
                try statement.bind([key.primaryKey, start, end, Int64(key.entity.rawValue), era.first])
                var records: [Int64] = []
                while records.count < limit, try statement.step() {
                    let both = [statement.integer(0), statement.integer(1)]
                    for record in newestFirst ? both.reversed() : both where record > start && record <= end {
                        if records.last != record { records.append(record) }
                    }
                }
                return records.prefix(limit).map { SequenceNumber(stored: $0) }
            }
        }
    }

    /// The record that gave each of an object's properties its value in the state after a record: the one behind the
    /// newest version with another value, or the one that made the object, perhaps again. Empty for one that was not
    /// there.
    package func setters(
        of key: ObjectKey, _ properties: Set<String>, at sequence: SequenceNumber
    ) throws -> [String: SequenceNumber] {
        let place = layout.existingPlace(key.entity)
        let slots = place.slots.compactMap { slot -> (name: String, column: String)? in
            if case .position = slot.kind { return nil }
            return properties.contains(slot.name) ? slot.column.map { (slot.name, quoted($0)) } : nil
        }
        if slots.isEmpty { return [:] }
        let table = TableLayout.versions(of: place.tableName)
        let valid = "FROM \(table) WHERE Z_PK = ?1 AND Z_TO > ?2 AND Z_ID >= ?3 AND Z_ID <= ?4"
        let birth = "SELECT max(v.Z_FROM) FROM \(table) v WHERE v.Z_PK = ?1 AND v.Z_COPY = 0 AND v.Z_FROM <= ?2 "
            + "AND NOT EXISTS (SELECT 1 FROM \(table) o WHERE o.Z_PK = ?1 AND o.Z_TO = v.Z_FROM "
            + "AND o.Z_FROM < v.Z_FROM)"
        let behind = HistoryViews.next("v", table, ["Z_PK"])
        let setters = slots.map { slot in
            "(SELECT max(record, coalesce((SELECT coalesce(\(behind), v.Z_TO) FROM \(table) v "
                + "WHERE v.Z_PK = ?1 AND v.Z_TO <= ?2 "
                + "AND v.\(slot.column) IS NOT (SELECT \(slot.column) \(valid) LIMIT 1) "
                + "ORDER BY v.Z_TO DESC LIMIT 1), record)) FROM birth)"
        }
        let sql = "WITH birth(record) AS MATERIALIZED (\(birth)) "
            + "SELECT \(setters.joined(separator: ", ")) WHERE EXISTS (SELECT 1 \(valid))"
        return try reading { connection in
            let versions = try VersionEra.versions(of: place.table, layout, at: sequence, on: connection)
            return try connection.withStatement(sql) { statement in
                let bounds = [versions.lowerBound, versions.upperBound - 1]
                try statement.bind([key.primaryKey, Int64(sequence.rawValue)] + bounds)
                guard try statement.step() else { return [:] }
                let records = slots.indices.map { SequenceNumber(stored: statement.integer(Int32($0))) }
                return Dictionary(zip(slots.map(\.name), records)) { first, _ in first }
            }
        }
    }
}
