import FirnImport
import FirnImport
import Foundation
import TestSupport
import Testing

/// Expanding what DEFLATE compressed. The samples were made with zlib 1.2.13, from the texts beside them.
@Suite("Inflate")
struct InflateTests {
    private static let fixed = bytes(
        "2bcecb2f5728c9482c51282e2d2acb2c4b4dd15128868b9527162b1414a51617a30a67162b14a526a628242526670300")
    private static let fixedText = "snow that survived, snow that was pressed, snow that is read back"
    private static let dynamic = [UInt8](
        Data(
            base64Encoded: """
                bdIxDkIhEATQq3AAC4EPC+fRrxYmJMT7x8LK5LVTvMxsdp+3te/pmtYjfV5neq/nJe1fWENpHEozhYPCoFAoNAqTQqXQKVTW\
                JRAEMoVGYVAoFDqF6REUwmfgYAKDQKbQKEwKhUKv/ie/JIlwCS4mMNyBQqMwKRQKnULhXgJBIFM4KAxXoNAoTAqVQvchWZdA\
                EMgUGoVBoVDo/8IX
                """)!)
    private static let dynamicText = (0..<60).map { "record \($0 * 37 % 101) of the log, " }.joined()

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        stride(from: 0, to: hexadecimal.count, by: 2).map { index in
            let start = hexadecimal.index(hexadecimal.startIndex, offsetBy: index)
            return UInt8(hexadecimal[start..<hexadecimal.index(start, offsetBy: 2)], radix: 16)!
        }
    }

    @Test("expands stored blocks, fixed and dynamic codes")
    func expands() {
        #expect(Inflate.expand([1, 3, 0, 252, 255, 7, 8, 9]) == [7, 8, 9])
        #expect(Inflate.expand(Self.fixed) == Array(Self.fixedText.utf8))
        #expect(Inflate.expand(Self.dynamic) == Array(Self.dynamicText.utf8))
    }

    @Test("gives nothing for bytes that end early, whatever the place")
    func truncated() {
        for whole in [Self.fixed, Self.dynamic] {
            for count in 0..<whole.count { #expect(Inflate.expand(Array(whole.prefix(count))) == nil) }
        }
    }

    @Test("survives every flipped bit")
    func flipped() {
        for whole in [Self.fixed, Self.dynamic] {
            for bit in 0..<whole.count * 8 {
                var bytes = whole
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(Inflate.expand(bytes, sizeMax: 10_000)?.count ?? 0 <= 10_000)
            }
        }
    }

    @Test("stops at the size that is allowed")
    func limited() {
        #expect(Inflate.expand(Self.dynamic, sizeMax: Self.dynamicText.utf8.count - 1) == nil)
    }
}
