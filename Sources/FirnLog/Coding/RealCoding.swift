/// Reals of one column, by the bits of IEEE 754's binary64, so that each comes back as it was.
///
///     constant    eight bytes: every value
///     plain       eight bytes for each value, low byte first
///     integral    integers (`IntegerEncoding`): every value is a whole number
///     planes      the lowest byte of all values, then the next one of all values …: alike bytes side by side
///     single      four bytes for each value: every value is a binary32
package enum RealEncoding: UInt8, CaseIterable {
    case constant = 1
    case plain = 2
    case integral = 3
    case planes = 4
    case single = 5
}

extension PayloadWriter {
    /// Below this many values planes are no gain.
    private static let planesMin = 16

    mutating func chooseEncoding(_ values: [Double]) -> RealEncoding {
        guard let first = values.first else { return .plain }
        if values.allSatisfy(Self.isIntegral) { return .integral }
        let isAffordable = spend(values.count * 8)
        if values.allSatisfy({ Self.isSingle($0) }) { return .single }
        if isAffordable, values.allSatisfy({ $0.bitPattern == first.bitPattern }) { return .constant }
        return values.count >= Self.planesMin ? .planes : .plain
    }

    mutating func reals(_ values: [Double], as encoding: RealEncoding) {
        switch encoding {
        case .constant: out.word(values[0].bitPattern)
        case .plain:
            for value in values { out.word(value.bitPattern) }
        case .integral: integers(values.map { Int64($0) })
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

    private static func isIntegral(_ value: Double) -> Bool {
        // Not -0.0, which would come back without its sign.
        abs(value) < 0x1p53 && value == value.rounded() && value.bitPattern != (-0.0).bitPattern
    }

    private static func isSingle(_ value: Double) -> Bool {
        Double(Float(value)).bitPattern == value.bitPattern
    }
}

extension ByteReader {
    mutating func reals(count: Int, as encoding: RealEncoding) throws(DecodeFailure) -> [Double] {
        if encoding == .integral { return try integers(count: count).map { Double($0) } }
        try spend(count, times: 8)
        switch encoding {
        case .constant:
            return [Double](repeating: Double(bitPattern: try word()), count: count)
        case .integral: return []
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
