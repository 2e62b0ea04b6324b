import Foundation

/// The digest by which the compiler tells private members of several files apart: of the module's and the file's name.
/// https://www.rfc-editor.org/rfc/rfc1321
enum MD5 {
    /// A row for each 16 rounds, whose four shifts repeat.
    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let sines = (0..<64).map { UInt32(abs(sin(Double($0 + 1))) * 4_294_967_296) }

    /// 32 hexadecimal digits, in upper case.
    static func hex(_ text: String) -> String {
        var message = Array(text.utf8)
        let bitCount = UInt64(message.count) * 8
        message.append(0x80)
        while message.count % 64 != 56 { message.append(0) }
        message += littleEndianBytes(bitCount)
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in stride(from: 0, to: message.count, by: 64) {
            add(Array(message[block..<(block + 64)]), to: &state)
        }
        return state.flatMap(littleEndianBytes).map { String(format: "%02X", $0) }.joined()
    }

    private static func littleEndianBytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    private static func add(_ block: [UInt8], to state: inout [UInt32]) {
        let words = stride(from: 0, to: 64, by: 4).map { start in
            block[start..<(start + 4)].reversed().reduce(UInt32(0)) { word, byte in word << 8 | UInt32(byte) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for round in 0..<64 {
            let mixed: UInt32
            let index: Int
            switch round {
            case 0..<16: (mixed, index) = ((b & c) | (~b & d), round)
            case 16..<32: (mixed, index) = ((d & b) | (~d & c), (5 * round + 1) % 16)
            case 32..<48: (mixed, index) = (b ^ c ^ d, (3 * round + 5) % 16)
            default: (mixed, index) = (c ^ (b | ~d), (7 * round) % 16)
            }
            let sum = mixed &+ a &+ sines[round] &+ words[index]
            (a, d, c) = (d, c, b)
            let shift = shifts[round / 16][round % 4]
            b = b &+ (sum << shift | sum >> (32 - shift))
        }
        state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
    }
}
