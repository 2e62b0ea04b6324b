package import FirnLog
internal import FirnSQLite

/// The text for NaN in a column of reals, because SQLite stores no NaN. It is no number, so SQLite does not convert it.
let notANumber = ColumnPointer.notANumber

/// A column of a change group on its way to the tables.
struct BoundColumn {
    let column: Column
    /// Whether the column is a reference that is followed by a column of the concrete entity.
    let hasEntity: Bool

    /// Calls `body` with pointers into all columns, one for each column of the table, which are valid during the call.
    /// The depth of the recursion is the number of columns, which SQLite limits to 2,000.
    static func withPointers<R>(_ columns: [BoundColumn], _ body: ([ColumnPointer]) throws -> R) throws -> R {
        // Swift 6.3 miscompiles an error that passes through the closures below: it is lost, or arrays are released
        // twice. So it is passed as a `Result`.
        try point(columns[...], []) { pointers in Result { try body(pointers) } }.get()
    }

    private static func point<R>(
        _ columns: ArraySlice<BoundColumn>, _ pointers: [ColumnPointer], _ body: ([ColumnPointer]) -> R
    ) -> R {
        guard let next = columns.first else { return body(pointers) }
        return next.column.nulls.words.withUnsafeBufferPointer { nulls in
            withValues(next.column) { values, entities in
                var pointers = pointers + [ColumnPointer(values, nulls: nulls)]
                if next.hasEntity { pointers.append(ColumnPointer(entities, nulls: nulls)) }
                return point(columns.dropFirst(), pointers, body)
            }
        }
    }

    private static func withValues<R>(
        _ column: Column, _ body: (ColumnPointer.Values, _ entities: ColumnPointer.Values) -> R
    ) -> R {
        switch column.values {
        case .touched: body(.null, .null)
        case .integers(let values): values.withUnsafeBufferPointer { body(.integers($0), .null) }
        case .reals(let values): values.withUnsafeBufferPointer { body(.reals($0), .null) }
        case .texts(let runs):
            runs.ends.withUnsafeBufferPointer { ends in
                runs.bytes.withUnsafeBytes { body(.texts(ends: ends, $0), .null) }
            }
        case .blobs(let runs):
            runs.ends.withUnsafeBufferPointer { ends in
                runs.bytes.withUnsafeBytes { body(.blobs(ends: ends, $0), .null) }
            }
        case .references(let keys, let entities):
            keys.withUnsafeBufferPointer { keys in
                entities.withUnsafeBytes { body(.integers(keys), .numbers($0.bindMemory(to: UInt32.self))) }
            }
        }
    }
}

extension EntityPlace {
    /// The columns that a group's slots have. Slots without a column are left out.
    func boundColumns(_ slots: [UInt16], _ columns: [Column]) -> [BoundColumn] {
        var result: [BoundColumn] = []
        result.reserveCapacity(slots.count)
        for (slot, column) in zip(slots, columns) {
            let place = self.slots[Int(slot)]
            guard place.column != nil else { continue }
            result.append(BoundColumn(column: column, hasEntity: place.entityColumn != nil))
        }
        return result
    }

    /// The names that go with `boundColumns`, in their order.
    func columnNames(_ slots: [UInt16]) -> [String] {
        slots.flatMap { slot -> [String] in
            let place = self.slots[Int(slot)]
            return [place.column, place.entityColumn].compactMap { $0.map(quoted) }
        }
    }
}

/// Numbers from the tables. A damaged file may hold any number, so reading accepts all. Comparisons with the log detect
/// wrong ones.
extension SequenceNumber {
    package init(stored number: Int64) { self.init(UInt64(clamping: number)) }
}

extension EntityNumber {
    package init(stored number: Int64) { self.init(UInt32(truncatingIfNeeded: number)) }
}
