internal import FirnLog
internal import FirnSQLite

/// SQLite keeps no NaN. In a column of reals this text stands for it: it is no number, so SQLite leaves it as it is.
let notANumber = "NaN"

/// One column of a change group on its way to parameters of a statement, as pointers into its arrays: a bind costs no
/// reference counting, and texts and blobs are bound where they lie.
struct BoundColumn {
    private enum Values {
        case none
        case integers(UnsafeBufferPointer<Int64>)
        case reals(UnsafeBufferPointer<Double>)
        case texts(ends: UnsafeBufferPointer<Int>, UnsafeRawBufferPointer)
        case blobs(ends: UnsafeBufferPointer<Int>, UnsafeRawBufferPointer)
        case references(UnsafeBufferPointer<Int64>, UnsafeBufferPointer<EntityNumber>)
    }

    private let values: Values
    private let nulls: UnsafeBufferPointer<UInt64>
    private let parameter: Int32
    /// The parameter of the concrete entity beside a reference.
    private let entityParameter: Int32?

    /// A column and where it goes.
    struct Target {
        var column: Column
        var parameter: Int32
        var entityParameter: Int32?
    }

    /// Calls `body` with pointers into all columns, which are valid during the call. The depth of the recursion is the
    /// number of columns, which SQLite limits to 2,000.
    static func withPointers<R>(_ targets: [Target], _ body: ([BoundColumn]) throws -> R) throws -> R {
        // Compiled by Swift 6.3, an error that passes through the closures below is lost, or arrays are released twice.
        try bind(targets, []) { columns in Result { try body(columns) } }.get()
    }

    private static func bind<R>(_ targets: [Target], _ bound: [BoundColumn], _ body: ([BoundColumn]) -> R) -> R {
        guard bound.count < targets.count else { return body(bound) }
        let target = targets[bound.count]
        return target.column.nulls.words.withUnsafeBufferPointer { nulls in
            withValues(target.column) { values in
                let column = BoundColumn(
                    values: values, nulls: nulls, parameter: target.parameter,
                    entityParameter: target.entityParameter)
                return bind(targets, bound + [column], body)
            }
        }
    }

    private static func withValues<R>(_ column: Column, _ body: (Values) -> R) -> R {
        switch column.values {
        case .touched: body(.none)
        case .integers(let values): values.withUnsafeBufferPointer { body(.integers($0)) }
        case .reals(let values): values.withUnsafeBufferPointer { body(.reals($0)) }
        case .texts(let runs):
            runs.ends.withUnsafeBufferPointer { ends in
                runs.bytes.withUnsafeBytes { body(.texts(ends: ends, $0)) }
            }
        case .blobs(let runs):
            runs.ends.withUnsafeBufferPointer { ends in
                runs.bytes.withUnsafeBytes { body(.blobs(ends: ends, $0)) }
            }
        case .references(let keys, let entities):
            keys.withUnsafeBufferPointer { keys in
                entities.withUnsafeBufferPointer { body(.references(keys, $0)) }
            }
        }
    }

    private func isNull(_ row: Int) -> Bool {
        let word = row >> 6
        return word < nulls.count && nulls[word] & (1 << UInt64(row & 63)) != 0
    }

    private static func run(
        _ row: Int, _ ends: UnsafeBufferPointer<Int>, _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]])
    }

    /// Binds the value of one row.
    func bind(_ row: Int, to statement: Statement) throws {
        if isNull(row) {
            try statement.bindNull(at: parameter)
            if let entityParameter { try statement.bindNull(at: entityParameter) }
            return
        }
        switch values {
        case .none: break
        case .integers(let values): try statement.bind(values[row], at: parameter)
        case .reals(let values):
            if values[row].isNaN {
                try statement.bind(notANumber, at: parameter)
            } else {
                try statement.bind(values[row], at: parameter)
            }
        case .texts(let ends, let bytes):
            try statement.bind(
                text: Self.run(row, ends, bytes), at: parameter, lifetime: .heldByCaller)
        case .blobs(let ends, let bytes):
            try statement.bind(
                blob: Self.run(row, ends, bytes), at: parameter, lifetime: .heldByCaller)
        case .references(let keys, let entities):
            try statement.bind(keys[row], at: parameter)
            if let entityParameter {
                try statement.bind(Int64(entities[row].rawValue), at: entityParameter)
            }
        }
    }
}

extension EntityPlace {
    /// The columns that a group's slots have, with parameters from `first` on. Slots without a column are left out.
    func targets(
        _ slots: [UInt16], _ columns: [Column], from first: Int32
    ) -> [BoundColumn.Target] {
        var parameter = first
        var result: [BoundColumn.Target] = []
        result.reserveCapacity(slots.count)
        for (slot, column) in zip(slots, columns) {
            let place = self.slots[Int(slot)]
            guard place.column != nil else { continue }
            let entityParameter = place.entityColumn == nil ? nil : parameter + 1
            result.append(
                BoundColumn.Target(
                    column: column, parameter: parameter, entityParameter: entityParameter))
            parameter += entityParameter == nil ? 1 : 2
        }
        return result
    }

    /// The names that go with `targets`, in the order of the parameters.
    func columnNames(_ slots: [UInt16]) -> [String] {
        slots.flatMap { slot -> [String] in
            let place = self.slots[Int(slot)]
            return [place.column, place.entityColumn].compactMap { $0.map(quoted) }
        }
    }
}
