/// Integers of one column: a byte that says how, then the numbers.
///
///     constant    one zigzag: every value
///     sequence    two zigzags: the first value and the step to each next one
///     plain       a zigzag for each value
///     delta       a zigzag for each difference to the value before; the first one's is to 0
///     fixed       eight bytes for each value, low byte first
///
/// Differences wrap around, so that they need no more than 64 bits.
package enum IntegerEncoding: UInt8, CaseIterable {
    case constant = 1
    case sequence = 2
    case plain = 3
    case delta = 4
    case fixed = 5
}

extension PayloadWriter {
    /// Writes the encoding's byte and `values`, in what is smallest.
    mutating func integers(_ values: [Int64]) {
        let encoding = chooseEncoding(values).encoding
        out.byte(encoding.rawValue)
        integers(values, as: encoding)
    }

    /// Chooses what is smallest, and tells how many bytes it takes. What takes less than a byte for a value has to
    /// stay within the reader's budget.
    mutating func chooseEncoding(_ values: [Int64]) -> (encoding: IntegerEncoding, size: Int) {
        let isAffordable = spend(values.count * 8)
        guard let first = values.first else { return (.plain, 0) }
        if values.count == 1 { return (.constant, Zigzag.size(first)) }
        let step = values[1] &- first
        var isSequence = true
        var plain = 0
        var delta = 0
        var previous: Int64 = 0
        for (index, value) in values.enumerated() {
            let difference = value &- previous
            if index > 0, difference != step { isSequence = false }
            plain += Zigzag.size(value)
            delta += Zigzag.size(difference)
            previous = value
        }
        if isSequence && isAffordable {
            let size = Zigzag.size(first)
            return step == 0 ? (.constant, size) : (.sequence, size + Zigzag.size(step))
        }
        let smallest = min(plain, delta)
        if smallest >= values.count * 8 { return (.fixed, values.count * 8) }
        return (plain <= delta ? .plain : .delta, smallest)
    }

    mutating func integers(_ values: [Int64], as encoding: IntegerEncoding) {
        switch encoding {
        case .constant: out.zigzag(values[0])
        case .sequence:
            out.zigzag(values[0])
            out.zigzag(values[1] &- values[0])
        case .plain: out.zigzags(values, areDifferences: false)
        case .delta: out.zigzags(values, areDifferences: true)
        case .fixed:
            for value in values { out.word(UInt64(bitPattern: value)) }
        }
    }
}

extension ByteReader {
    mutating func integers(count: Int) throws(DecodeFailure) -> [Int64] {
        let number = try byte()
        guard let encoding = IntegerEncoding(rawValue: number) else {
            throw failure("integers in the unknown encoding \(number)")
        }
        return try integers(count: count, as: encoding)
    }

    mutating func integers(
        count: Int, as encoding: IntegerEncoding
    ) throws(DecodeFailure) -> [Int64] {
        try spend(count, times: 8)
        switch encoding {
        case .constant:
            return [Int64](repeating: try zigzag(), count: count)
        case .sequence:
            var value = try zigzag()
            let step = try zigzag()
            return (0..<count).map { _ in
                defer { value &+= step }
                return value
            }
        case .plain, .delta:
            guard count <= left else { throw failure("\(count) integers in \(left) bytes") }
            return try variable(count: count, isDelta: encoding == .delta)
        case .fixed:
            let source = try raw(try fixedSize(count, 8))
            return [Int64](unsafeUninitializedCapacity: count) { target, initialized in
                for index in 0..<count { target[index] = source.load(at: index * 8) }
                initialized = count
            }
        }
    }

    /// The size of `count` values of `size` bytes, if that is not more than is left.
    func fixedSize(_ count: Int, _ size: Int) throws(DecodeFailure) -> Int {
        guard count <= left / size else { throw failure("\(count) values in \(left) bytes") }
        return count * size
    }

    private mutating func variable(
        count: Int, isDelta: Bool
    ) throws(DecodeFailure) -> [Int64] {
        var reader = self
        var problem: DecodeFailure?
        let values = [Int64](unsafeUninitializedCapacity: count) { target, initialized in
            var previous: Int64 = 0
            do throws(DecodeFailure) {
                while initialized < count {
                    let value = try reader.zigzag()
                    previous = isDelta ? previous &+ value : value
                    target[initialized] = previous
                    initialized += 1
                }
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        self = reader
        return values
    }
}
