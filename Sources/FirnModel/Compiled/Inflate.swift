/// Expands what DEFLATE compressed, without the header that zlib puts around it: https://www.rfc-editor.org/rfc/rfc1951
///
/// Core Data keeps the model of a store in the store, compressed so. It is a few kilobytes: this reads bit by bit, and
/// is not made for large data.
package struct Inflate {
    private let bytes: [UInt8]
    private var position = 0
    /// Of the byte before `position`, the bits that were not read yet.
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private let sizeMax: Int

    /// The expanded bytes; nil if they are damaged, end early, or would be more than `sizeMax`.
    package static func expand(_ bytes: [UInt8], sizeMax: Int = 256 << 20) -> [UInt8]? {
        var inflate = Inflate(bytes: bytes, sizeMax: sizeMax)
        return inflate.blocks() ? inflate.output : nil
    }

    private init(bytes: [UInt8], sizeMax: Int) {
        self.bytes = bytes
        self.sizeMax = sizeMax
    }

    private mutating func blocks() -> Bool {
        while true {
            guard let isLast = take(1), let kind = take(2) else { return false }
            let isGood: Bool
            switch kind {
            case 0: isGood = storedBlock()
            case 1: isGood = block(Self.fixedLengths, Self.fixedDistances)
            case 2: isGood = dynamicBlock()
            default: return false
            }
            guard isGood else { return false }
            if isLast == 1 { return true }
        }
    }

    /// The next bits, the first one lowest.
    private mutating func take(_ count: Int) -> Int? {
        while bitCount < count {
            guard position < bytes.count else { return nil }
            bits |= UInt32(bytes[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = bits & ((1 << UInt32(count)) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    private mutating func storedBlock() -> Bool {
        (bits, bitCount) = (0, 0)
        guard let count = take(16), let complement = take(16), count == ~complement & 0xFFFF,
            position + count <= bytes.count, output.count + count <= sizeMax
        else { return false }
        output += bytes[position..<position + count]
        position += count
        return true
    }

    private mutating func dynamicBlock() -> Bool {
        guard let lengthCount = take(5), let distanceCount = take(5), let codeCount = take(4) else { return false }
        var codeLengths = [UInt8](repeating: 0, count: Self.lengthOrder.count)
        for index in 0..<codeCount + 4 {
            guard let length = take(3) else { return false }
            codeLengths[Self.lengthOrder[index]] = UInt8(length)
        }
        let all = lengthCount + 257 + distanceCount + 1
        guard let codes = HuffmanCode(codeLengths), let lengths = lengths(all, codes),
            let literals = HuffmanCode(Array(lengths[..<(lengthCount + 257)])),
            let distances = HuffmanCode(Array(lengths[(lengthCount + 257)...]))
        else { return false }
        return block(literals, distances)
    }

    /// The lengths of the codes of a dynamic block, which are run-length coded themselves.
    private mutating func lengths(_ count: Int, _ codes: HuffmanCode) -> [UInt8]? {
        var lengths: [UInt8] = []
        while lengths.count < count {
            guard let symbol = symbol(codes) else { return nil }
            switch symbol {
            case 0...15: lengths.append(UInt8(symbol))
            case 16:
                guard let last = lengths.last, let more = take(2) else { return nil }
                lengths += [UInt8](repeating: last, count: 3 + more)
            case 17:
                guard let more = take(3) else { return nil }
                lengths += [UInt8](repeating: 0, count: 3 + more)
            default:
                guard let more = take(7) else { return nil }
                lengths += [UInt8](repeating: 0, count: 11 + more)
            }
        }
        return lengths.count == count ? lengths : nil
    }

    private mutating func block(_ literals: HuffmanCode, _ distances: HuffmanCode) -> Bool {
        while let symbol = symbol(literals) {
            if symbol == Self.endOfBlock { return true }
            guard output.count < sizeMax else { return false }
            if symbol < Self.endOfBlock {
                output.append(UInt8(symbol))
            } else if !copy(symbol - Self.endOfBlock - 1, distances) {
                return false
            }
        }
        return false
    }

    private mutating func copy(_ code: Int, _ distances: HuffmanCode) -> Bool {
        guard code < Self.lengthBases.count, let more = take(Self.lengthExtraBits[code]),
            let distanceCode = symbol(distances), distanceCode < Self.distanceBases.count,
            let further = take(Self.distanceExtraBits[distanceCode])
        else { return false }
        let length = Self.lengthBases[code] + more
        let distance = Self.distanceBases[distanceCode] + further
        guard distance <= output.count, output.count + length <= sizeMax else { return false }
        // A copy may reach into what it writes itself.
        for _ in 0..<length { output.append(output[output.count - distance]) }
        return true
    }

    private mutating func symbol(_ code: HuffmanCode) -> Int? {
        var walk = HuffmanCode.Walk()
        while let bit = take(1) {
            if let symbol = code.step(&walk, bit) { return symbol }
            if walk.length >= HuffmanCode.lengthMax { return nil }
        }
        return nil
    }

    private static let endOfBlock = 256
    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let lengthExtraBits = [Int](repeating: 0, count: 8) + (1...5).flatMap { [$0, $0, $0, $0] } + [0]
    /// Each base lies behind what the one before reaches; the last length has a code of its own.
    private static let lengthBases = bases(from: 3, lengthExtraBits.dropLast()) + [258]
    private static let distanceExtraBits = [0, 0, 0, 0] + (1...13).flatMap { [$0, $0] }
    private static let distanceBases = bases(from: 1, distanceExtraBits[...])

    private static func bases(from first: Int, _ extraBits: ArraySlice<Int>) -> [Int] {
        var next = first
        return extraBits.map { extra in
            defer { next += 1 << extra }
            return next
        }
    }

    private static let fixedLengths = HuffmanCode(
        unchecked: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = HuffmanCode(unchecked: [UInt8](repeating: 5, count: 30))
}

/// A canonical Huffman code: of codes of one length, those of lower symbols come first.
private struct HuffmanCode {
    static let lengthMax = 15

    /// How many codes there are of each length.
    private var counts = [Int](repeating: 0, count: lengthMax + 1)
    /// In the order of their codes.
    private var symbols: [Int] = []

    /// A place between the root and a leaf.
    struct Walk {
        var length = 0
        fileprivate var code = 0
        fileprivate var first = 0
        fileprivate var index = 0
    }

    /// Nil if there are more codes than their lengths leave room for.
    init?(_ lengths: [UInt8]) {
        self.init(unchecked: lengths)
        var room = 1
        for length in 1...Self.lengthMax {
            room = room * 2 - counts[length]
            if room < 0 { return nil }
        }
    }

    init(unchecked lengths: [UInt8]) {
        for length in lengths where length > 0 { counts[Int(length)] += 1 }
        for length in 1...Self.lengthMax where counts[length] > 0 {
            symbols += lengths.indices.filter { lengths[$0] == length }
        }
    }

    /// The symbol that the next bit leads to; nil if there are more bits to it.
    func step(_ walk: inout Walk, _ bit: Int) -> Int? {
        walk.length += 1
        walk.code = walk.code << 1 | bit
        let count = counts[walk.length]
        if walk.code - walk.first < count { return symbols[walk.index + walk.code - walk.first] }
        walk.index += count
        walk.first = (walk.first + count) << 1
        return nil
    }
}
