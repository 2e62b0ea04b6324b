/// CRC-32C (Castagnoli's polynomial, https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4), byte by byte: the log
/// takes it over headers only.
struct Checksum: Hashable {
    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
        return value
    }

    private var state: UInt32 = 0xFFFF_FFFF

    var value: UInt32 { ~state }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        Self.table.withUnsafeBufferPointer { table in
            var state = state
            for byte in bytes {
                state = state >> 8 ^ table[Int(UInt8(truncatingIfNeeded: state) ^ byte)]
            }
            self.state = state
        }
    }

    func updated(_ bytes: UnsafeRawBufferPointer) -> Checksum {
        var copy = self
        copy.update(bytes)
        return copy
    }
}
