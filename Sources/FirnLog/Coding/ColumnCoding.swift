/// The byte that a column begins with:
///
///     bits 0–2   StorageType
///     bit 3      a null mask follows: a bit for each row, row 0 the lowest of the first byte
///     bits 4–6   how the values are encoded, by type
///     bit 7      the values are told against the new ones of the same slot
struct ColumnLead {
    var type: StorageType
    var hasNulls: Bool
    var encoding: UInt8
    var isAgainstNew: Bool

    var byte: UInt8 {
        type.rawValue | (hasNulls ? 8 : 0) | encoding << 4 | (isAgainstNew ? 0x80 : 0)
    }
}

extension ColumnLead {
    init?(_ byte: UInt8) {
        guard let type = StorageType(rawValue: byte & 7) else { return nil }
        self.init(
            type: type, hasNulls: byte & 8 != 0, encoding: byte >> 4 & 7, isAgainstNew: byte & 0x80 != 0)
    }
}

extension PayloadWriter {
    /// Writes a column; one of old values may be told against the new ones.
    mutating func column(_ column: Column, against new: Column?) {
        defer { out.flush() }
        // Most saves are of one row.
        if case .integer(let value)? = column.onlyNumber { return onlyInteger(column, value, against: new) }
        switch column.values {
        case .touched: lead(column, 0)
        case .integers(let values): integerColumn(column, values, against: new)
        case .reals(let values): realColumn(column, values, against: new)
        case .texts(let runs), .blobs(let runs):
            let plan = chooseEncoding(runs, against: new.flatMap { $0.runs(of: column.type) })
            if case .edit = plan {
                lead(column, plan.encoding.rawValue, isAgainstNew: true)
            } else {
                lead(column, plan.encoding.rawValue)
            }
            self.runs(runs, as: plan)
        case .references(let keys, let entities):
            lead(column, 0)
            integers(entities.map { Int64($0.rawValue) })
            integers(keys)
        }
    }

    /// Writes a column of one integer, not null.
    mutating func onlyInteger(_ value: Int64) {
        _ = spend(8)
        out.byte(Self.leadOfInteger)
        out.zigzag(value)
    }

    private static let leadOfInteger = ColumnLead(
        type: .integer, hasNulls: false, encoding: IntegerEncoding.constant.rawValue, isAgainstNew: false
    ).byte

    private mutating func onlyInteger(_ column: Column, _ value: Int64, against new: Column?) {
        _ = spend(8)
        if case .integer(let base)? = new?.onlyNumber {
            _ = spend(8)
            let difference = value &- base
            if Zigzag.size(difference) < Zigzag.size(value) {
                lead(column, IntegerEncoding.constant.rawValue, isAgainstNew: true)
                return out.zigzag(difference)
            }
        }
        lead(column, IntegerEncoding.constant.rawValue)
        out.zigzag(value)
    }

    private mutating func integerColumn(_ column: Column, _ values: [Int64], against new: Column?) {
        let alone = chooseEncoding(values)
        if case .integers(let base)? = new?.values, base.count == values.count {
            let differences = zip(values, base).map { $0 &- $1 }
            let against = chooseEncoding(differences)
            if against.size < alone.size {
                lead(column, against.encoding.rawValue, isAgainstNew: true)
                return integers(differences, as: against.encoding)
            }
        }
        lead(column, alone.encoding.rawValue)
        integers(values, as: alone.encoding)
    }

    mutating func lead(_ column: Column, _ encoding: UInt8, isAgainstNew: Bool = false) {
        let lead = ColumnLead(
            type: column.type, hasNulls: !column.nulls.isEmpty, encoding: encoding,
            isAgainstNew: isAgainstNew)
        out.byte(lead.byte)
        guard lead.hasNulls else { return }
        for byte in 0..<(column.count + 7) / 8 {
            let word = byte / 8 < column.nulls.words.count ? column.nulls.words[byte / 8] : 0
            out.byte(UInt8(truncatingIfNeeded: word >> UInt64(byte % 8 * 8)))
        }
    }
}

extension ByteReader {
    mutating func column(count: Int, against new: Column?) throws(DecodeFailure) -> Column {
        let byte = try byte()
        guard let lead = ColumnLead(byte) else { throw failure("a column of the unknown type \(byte)") }
        let nulls = lead.hasNulls ? try nullMask(count: count) : NullMask()
        let values = try values(count: count, lead: lead, against: new)
        return Column(values: values, nulls: nulls)
    }

    private mutating func values(
        count: Int, lead: ColumnLead, against new: Column?
    ) throws(DecodeFailure) -> Column.Values {
        switch lead.type {
        case .none: return .touched(count: count)
        case .integer:
            guard let encoding = IntegerEncoding(rawValue: lead.encoding) else { throw unknown(lead) }
            let values = try integers(count: count, as: encoding)
            guard lead.isAgainstNew else { return .integers(values) }
            guard case .integers(let base)? = new?.values, base.count == count else {
                throw failure("a difference to nothing")
            }
            return .integers(zip(values, base).map { $0 &+ $1 })
        case .real:
            guard let encoding = RealEncoding(rawValue: lead.encoding) else { throw unknown(lead) }
            guard lead.isAgainstNew else { return .reals(try reals(count: count, as: encoding, against: nil)) }
            guard encoding == .decimal, case .reals(let base)? = new?.values else {
                throw failure("a difference to nothing")
            }
            return .reals(try reals(count: count, as: encoding, against: base))
        case .text, .blob:
            guard let encoding = RunsEncoding(rawValue: lead.encoding) else { throw unknown(lead) }
            let base = new.flatMap { $0.runs(of: lead.type) }
            let runs = try runs(count: count, as: encoding, against: base)
            return lead.type == .text ? .texts(runs) : .blobs(runs)
        case .reference:
            let numbers = try integers(count: count)
            guard numbers.allSatisfy({ UInt32(exactly: $0) != nil }) else {
                throw failure("an entity number of more than 32 bits")
            }
            let entities = numbers.map { EntityNumber(UInt32($0)) }
            return .references(primaryKeys: try integers(count: count), entities: entities)
        }
    }

    private func unknown(_ lead: ColumnLead) -> DecodeFailure {
        failure("values of type \(lead.type) in the unknown encoding \(lead.encoding)")
    }

    private mutating func nullMask(count: Int) throws(DecodeFailure) -> NullMask {
        let source = try raw((count + 7) / 8)
        var words = [UInt64](repeating: 0, count: (count + 63) / 64)
        for (index, byte) in source.enumerated() {
            words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
        }
        if count % 64 != 0, words[words.count - 1] >> UInt64(count % 64) != 0 {
            throw failure("a null after the last row")
        }
        return NullMask(words: words)
    }
}
