internal import FirnLog
internal import FirnSQLite

/// Reads a single row, as most look-ups need. Values are stored directly in the batch.
extension RowShape {
    /// The slots of the entity with the number that a row holds.
    func entity(_ number: Int) throws -> Entity {
        guard entities.indices.contains(number), let known = entities[number] else {
            throw ProjectionError(
                .inconsistent,
                "a row has entity \(number), which the fetched entity does not have below it; rebuild the "
                    + "projection")
        }
        return known
    }

    /// The first row of a statement; nothing if there is none.
    func firstRow(_ statement: Statement) throws -> FetchedRows {
        guard try statement.step() else { return FetchedRows(batches: [], order: []) }
        let number = Int(statement.integer(1))
        let entity = try entity(number)
        let columns = [Column?](unsafeUninitializedCapacity: entity.slotCount) { columns, count in
            count = entity.slotCount
            for slot in 0..<count { columns.initializeElement(at: slot, to: nil) }
            for source in entity.sources { columns[source.slot] = source.column(of: statement) }
        }
        let batch = RowBatch(
            entity: EntityNumber(UInt32(number)), key: statement.integer(0), version: statement.integer(2),
            columns: columns)
        return FetchedRows(batches: [batch], order: [])
    }
}

extension RowShape.Source {
    /// The value of the current row.
    fileprivate func column(of statement: Statement) -> Column {
        switch type {
        case .integer:
            let value = statement.integer(column)
            if value != 0 || !statement.isNull(column) { return Column(only: .integer(value)) }
        case .real:
            let value = statement.real(column)
            if value != 0 { return Column(only: .real(value)) }
        default: break
        }
        var builder = ColumnBuilder(self)
        builder.append(statement)
        return builder.finish()
    }
}
