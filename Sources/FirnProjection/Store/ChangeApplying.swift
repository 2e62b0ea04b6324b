internal import FirnLog
internal import FirnSQLite

/// Writes change sets into tables: the current rows, or every version of every row.
protocol ChangeApplying: AnyObject {
    func apply(_ group: ChangeGroup, at sequence: SequenceNumber) throws
    func apply(_ group: LinkGroup, at sequence: SequenceNumber) throws
}

/// What tells one prepared statement for groups from another.
struct GroupShape: Hashable {
    var entity: EntityNumber
    var operation: ChangeGroup.Operation
    var slots: [UInt16]
}

/// One column of a change group on its way to parameters of a statement.
struct BoundColumn {
    let values: Column.Values
    let nulls: NullMask
    let hasNulls: Bool
    let parameter: Int32
    /// The parameter of the concrete entity beside a reference.
    let entityParameter: Int32?

    init(_ column: Column, parameter: Int32, entityParameter: Int32?) {
        values = column.values
        nulls = column.nulls
        hasNulls = !column.nulls.isEmpty
        self.parameter = parameter
        self.entityParameter = entityParameter
    }

    /// Binds row `row`. Texts and blobs are not copied: the column outlives the run of the statement.
    @inline(__always)
    func bind(_ row: Int, to statement: Statement) throws {
        if hasNulls, nulls.contains(row) {
            try statement.bindNull(at: parameter)
            if let entityParameter { try statement.bindNull(at: entityParameter) }
            return
        }
        switch values {
        case .integers(let values): try statement.bind(values[row], at: parameter)
        case .reals(let values):
            let value = values[row]
            if value.isNaN {
                try statement.bind(notANumber, at: parameter)
            } else {
                try statement.bind(value, at: parameter)
            }
        case .texts(let runs):
            try runs.withBytes(at: row) {
                try statement.bind(text: $0, at: parameter, lifetime: .heldByCaller)
            }
        case .blobs(let runs):
            try runs.withBytes(at: row) {
                try statement.bind(blob: $0, at: parameter, lifetime: .heldByCaller)
            }
        case .references(let keys, let entities):
            try statement.bind(keys[row], at: parameter)
            if let entityParameter {
                try statement.bind(Int64(entities[row].rawValue), at: entityParameter)
            }
        case .touched: break
        }
    }
}

/// SQLite keeps no NaN. In a column of reals this text stands for it: it is no number, so SQLite leaves it as it is.
let notANumber = "NaN"

extension EntityPlace {
    /// The columns that a group's slots have, with parameters from `first` on. Slots without a column are left out.
    func bind(_ slots: [UInt16], _ columns: [Column], from first: Int32) -> [BoundColumn] {
        var parameter = first
        var result: [BoundColumn] = []
        result.reserveCapacity(slots.count)
        for (slot, column) in zip(slots, columns) {
            let place = self.slots[Int(slot)]
            guard place.column != nil else { continue }
            let entityParameter = place.entityColumn == nil ? nil : parameter + 1
            result.append(
                BoundColumn(column, parameter: parameter, entityParameter: entityParameter))
            parameter += entityParameter == nil ? 1 : 2
        }
        return result
    }

    /// The names that go with `bind`, in the order of the parameters.
    func columnNames(_ slots: [UInt16]) -> [String] {
        slots.flatMap { slot -> [String] in
            let place = self.slots[Int(slot)]
            return [place.column, place.entityColumn].compactMap { $0.map(quoted) }
        }
    }
}
