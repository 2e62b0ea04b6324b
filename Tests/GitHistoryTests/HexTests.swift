import Foundation
import GitHistory
import Testing

@Suite("Object names and their digits")
struct HexTests {
    @Test("digits and bytes are the same thing")
    func both() {
        let bytes = Data([0, 9, 10, 127, 128, 255])
        #expect(Hex.text(bytes) == "00090a7f80ff" && Hex.data("00090A7f80fF".utf8) == bytes)
    }

    @Test("what is no pair of digits is refused", arguments: ["0", "0g", "-1", " 12"])
    func refused(_ text: String) {
        #expect(Hex.data(text.utf8) == nil)
    }
}
