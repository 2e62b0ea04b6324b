/// Reals of one column, by the bits of IEEE 754's binary64, so that each comes back as it was.
///
///     constant    eight bytes: every value
///     plain       eight bytes for each value, low byte first
///     integral    integers (`IntegerEncoding`): every value is a whole number
///     planes      the lowest byte of all values, then the next one of all values …: alike bytes side by side
///     single      four bytes for each value: every value is a binary32
///     decimal     an exponent (byte), integers: every value is a whole number divided by that power of ten; of
///                 old values told against the new ones the integers are differences (`DecimalReals`)
package enum RealEncoding: UInt8, CaseIterable {
    case constant = 1
    case plain = 2
    case integral = 3
    case planes = 4
    case single = 5
    case decimal = 6
}

extension PayloadWriter {
    /// Below this many values planes are no gain.
    private static let planesMin = 16

    private mutating func chooseEncoding(_ values: [Double]) -> RealEncoding {
        guard let first = values.first else { return .plain }
        let isAffordable = spend(values.count * 8)
        if isAffordable, values.allSatisfy({ $0.bitPattern == first.bitPattern }) { return .constant }
        if values.allSatisfy({ Self.isSingle($0) }) { return .single }
        return values.count >= Self.planesMin ? .planes : .plain
    }

    /// Writes a column of reals, `column`, whose values are `values`.
    mutating func realColumn(_ column: Column, _ values: [Double], against new: Column?) {
        guard let decimals = DecimalReals(values) else { return binaryColumn(column, values) }
        let alone = chooseEncoding(decimals.numbers)
        if case .reals(let base)? = new?.values, base.count == values.count,
            let (differences, exponent) = decimals.differences(to: base)
        {
            let against = chooseEncoding(differences)
            if against.size < alone.size {
                lead(column, RealEncoding.decimal.rawValue, isAgainstNew: true)
                out.byte(exponent)
                out.byte(against.encoding.rawValue)
                return integers(differences, as: against.encoding)
            }
        }
        if decimals.exponent == 0 {
            lead(column, RealEncoding.integral.rawValue)
        } else if alone.size < values.count * (values.allSatisfy(Self.isSingle) ? 4 : 8) {
            lead(column, RealEncoding.decimal.rawValue)
            out.byte(decimals.exponent)
        } else {
            return binaryColumn(column, values)
        }
        out.byte(alone.encoding.rawValue)
        integers(decimals.numbers, as: alone.encoding)
    }

    private mutating func binaryColumn(_ column: Column, _ values: [Double]) {
        let encoding = chooseEncoding(values)
        lead(column, encoding.rawValue)
        reals(values, as: encoding)
    }

    private mutating func reals(_ values: [Double], as encoding: RealEncoding) {
        switch encoding {
        case .integral, .decimal: fatalError("whole numbers are written as integers")
        case .constant: out.word(values[0].bitPattern)
        case .plain:
            for value in values { out.word(value.bitPattern) }
        case .planes:
            for plane in 0..<UInt64(8) {
                for value in values {
                    out.byte(UInt8(truncatingIfNeeded: value.bitPattern >> (plane * 8)))
                }
            }
        case .single:
            for value in values {
                withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { out.raw($0) }
            }
        }
    }

    private static func isSingle(_ value: Double) -> Bool {
        Double(Float(value)).bitPattern == value.bitPattern
    }
}

extension ByteReader {
    /// - Parameter base: The new values that the values are told against, if they are.
    mutating func reals(
        count: Int, as encoding: RealEncoding, against base: [Double]?
    ) throws(DecodeFailure) -> [Double] {
        switch encoding {
        case .integral: return try integers(count: count).map { Double($0) }
        case .decimal: return try decimals(count: count, against: base)
        default: return try binaries(count: count, as: encoding)
        }
    }

    private mutating func decimals(count: Int, against base: [Double]?) throws(DecodeFailure) -> [Double] {
        let exponent = try byte()
        guard exponent <= DecimalReals.exponentMax else { throw failure("reals of the exponent \(exponent)") }
        var numbers = try integers(count: count)
        if let base {
            guard base.count == count, let known = DecimalReals.numbers(base, exponent) else {
                throw failure("a difference to what is no such decimal")
            }
            for index in numbers.indices { numbers[index] &+= known[index] }
        }
        return DecimalReals.values(numbers, exponent)
    }

    private mutating func binaries(count: Int, as encoding: RealEncoding) throws(DecodeFailure) -> [Double] {
        try spend(count, times: 8)
        switch encoding {
        case .constant:
            return [Double](repeating: Double(bitPattern: try word()), count: count)
        case .integral, .decimal: return []
        case .plain:
            let source = try raw(try fixedSize(count, 8))
            return (0..<count).map { Double(bitPattern: source.load(at: $0 * 8)) }
        case .planes:
            let source = try raw(try fixedSize(count, 8))
            return (0..<count).map { index in
                var bits: UInt64 = 0
                for plane in 0..<8 { bits |= UInt64(source[plane * count + index]) << UInt64(plane * 8) }
                return Double(bitPattern: bits)
            }
        case .single:
            let source = try raw(try fixedSize(count, 4))
            return (0..<count).map { Double(Float(bitPattern: source.load(at: $0 * 4))) }
        }
    }
}
