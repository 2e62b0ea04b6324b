package import Foundation

/// A value of a property list, with the references between objects that keyed archives make of it.
///
/// Foundation reads property lists too, but returns an archive's references as opaque objects.
package enum PropertyListValue {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case date(Date)
    case data([UInt8])
    case string(String)
    /// A reference to an object of a keyed archive, by its index.
    case reference(Int)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
}

/// Reads binary property lists, format `bplist00`: header, objects, a table of their offsets, trailer.
///
/// https://opensource.apple.com/source/CF/CF-1153.18/CFBinaryPList.c.auto.html describes the format in a comment.
package struct BinaryPropertyList {
    package static let magic = Array("bplist00".utf8)

    private static let trailerSize = 32
    /// More nesting than an archive has, which refers by index; deeper lists, and those in themselves, are refused.
    private static let depthMax = 32
    /// A list can reference one object many times. A list with more values than this, and than it has bytes, is
    /// refused.
    private static let valueCountMax = 4_000_000

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let topObject: Int
    private let offsetTable: Int
    private var valueCount = 0

    /// The list in `bytes`; nil if they are none, or damaged.
    package static func read(_ bytes: [UInt8]) -> PropertyListValue? {
        guard var list = BinaryPropertyList(bytes) else { return nil }
        return list.object(list.topObject, depth: 0)
    }

    private init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.magic.count + Self.trailerSize, bytes.starts(with: Self.magic)
        else { return nil }
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = Self.integer(bytes, at: trailer + 8, size: 8),
            let topObject = Self.integer(bytes, at: trailer + 16, size: 8),
            let offsetTable = Self.integer(bytes, at: trailer + 24, size: 8),
            offsetTable < trailer, topObject < objectCount,
            objectCount <= (trailer - offsetTable) / offsetSize
        else { return nil }
        self.objectCount = objectCount
        self.topObject = topObject
        self.offsetTable = offsetTable
    }

    /// A big-endian number; nil outside the bytes, and above `Int.max`.
    private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        guard offset >= 0, size >= 0, size <= bytes.count, offset <= bytes.count - size else {
            return nil
        }
        var value: UInt64 = 0
        for byte in bytes[offset..<offset + size] { value = value << 8 | UInt64(byte) }
        return Int(exactly: value)
    }

    private mutating func object(_ index: Int, depth: Int) -> PropertyListValue? {
        valueCount += 1
        guard index < objectCount, depth < Self.depthMax, valueCount < max(Self.valueCountMax, bytes.count),
            let offset = Self.integer(
                bytes, at: offsetTable + index * offsetSize, size: offsetSize),
            offset < offsetTable
        else { return nil }
        let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0xF))
        switch kind {
        case 0x0: return low == 8 ? .boolean(false) : low == 9 ? .boolean(true) : .null
        case 0x1: return number(at: offset + 1, size: 1 << low)
        case 0x2: return real(at: offset + 1, size: 1 << low).map { .real($0) }
        case 0x3:
            return real(at: offset + 1, size: 8).map {
                .date(Date(timeIntervalSinceReferenceDate: $0))
            }
        case 0x8: return Self.integer(bytes, at: offset + 1, size: low + 1).map { .reference($0) }
        default: break
        }
        guard let (count, start) = count(low, after: offset) else { return nil }
        switch kind {
        case 0x4: return slice(start, count).map { .data(Array($0)) }
        case 0x5: return ascii(start, count).map { .string($0) }
        case 0x6: return utf16(start, count).map { .string($0) }
        // Not 0xC, a set: no list that is written has one.
        case 0xA: return objects(at: start, count: count, depth: depth).map { .array($0) }
        case 0xD: return dictionary(at: start, count: count, depth: depth)
        default: return nil
        }
    }

    /// A count is in the marker's low half; 15 means that an integer with the count follows.
    private func count(_ low: Int, after offset: Int) -> (count: Int, start: Int)? {
        if low < 15 { return (low, offset + 1) }
        guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 1 else { return nil }
        let size = 1 << Int(bytes[offset + 1] & 0xF)
        return Self.integer(bytes, at: offset + 2, size: size).map { ($0, offset + 2 + size) }
    }

    /// Integers of up to four bytes are without sign, of eight with; of sixteen the low half counts.
    private func number(at offset: Int, size: Int) -> PropertyListValue? {
        let (start, width) = size == 16 ? (offset + 8, 8) : (offset, size)
        guard width <= 8, let slice = slice(start, width) else { return nil }
        return .integer(Int64(bitPattern: slice.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }

    private func real(at offset: Int, size: Int) -> Double? {
        guard size == 4 || size == 8, let slice = slice(offset, size) else { return nil }
        let pattern = slice.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern)))
            : Double(bitPattern: pattern)
    }

    private func slice(_ start: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count, start <= bytes.count - count else { return nil }
        return bytes[start..<start + count]
    }

    private func ascii(_ start: Int, _ count: Int) -> String? {
        slice(start, count).flatMap { String(validating: $0, as: Unicode.ASCII.self) }
    }

    private func utf16(_ start: Int, _ count: Int) -> String? {
        guard count <= bytes.count / 2, let slice = slice(start, count * 2) else { return nil }
        let units = stride(from: slice.startIndex, to: slice.endIndex, by: 2).map { (index: Int) -> UInt16 in
            UInt16(slice[index]) * 256 + UInt16(slice[index + 1])
        }
        return String(validating: units, as: UTF16.self)
    }

    private mutating func objects(at start: Int, count: Int, depth: Int) -> [PropertyListValue]? {
        guard count <= bytes.count / referenceSize, slice(start, count * referenceSize) != nil
        else { return nil }
        var values: [PropertyListValue] = []
        for position in 0..<count {
            guard
                let index = Self.integer(
                    bytes, at: start + position * referenceSize, size: referenceSize),
                let value = object(index, depth: depth + 1)
            else { return nil }
            values.append(value)
        }
        return values
    }

    private mutating func dictionary(at start: Int, count: Int, depth: Int) -> PropertyListValue? {
        guard count <= bytes.count / referenceSize,
            let keys = objects(at: start, count: count, depth: depth),
            let values = objects(at: start + count * referenceSize, count: count, depth: depth)
        else { return nil }
        var dictionary: [String: PropertyListValue] = [:]
        for (key, value) in zip(keys, values) {
            // Readers differ in which of two values of one key they take.
            guard case .string(let name) = key, dictionary.updateValue(value, forKey: name) == nil else { return nil }
        }
        return .dictionary(dictionary)
    }
}
