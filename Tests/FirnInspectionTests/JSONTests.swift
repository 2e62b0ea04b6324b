import FirnInspection
import Testing

@Suite("JSON that is read")
struct JSONTests {
    @Test(
        "is written as it was: whole numbers of 64 bits, real numbers to the last bit, texts, truth values, null",
        arguments: [
            "0", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993", "-0.0", "1.0", "0.1",
            "5e-324", "1.7976931348623157e+308", "0.30000000000000004", "-848.9913028648543", "true", "false", "null",
            #""""#, #""a\"\\\n\u0001é😀""#,
            #"[1,true,1.0,"1",null,[],{}]"#, #"{"a":{"b":[1]},"c":null}"#,
        ])
    func roundTrip(_ text: String) throws {
        #expect(try JSON(parsing: text).line == text)
        #expect(try JSON(parsing: " \n" + text + " ").line == text)
    }

    @Test("has controls and marks of direction by their numbers, which no terminal follows")
    func numbers() throws {
        let text = "a\u{9B}b\u{202E}c\u{2066}d\u{200F}é"
        let line = JSON.text(text).line
        #expect(line == #""a\u009bb\u202ec\u2066d\u200fé""#)
        #expect(try JSON(parsing: line).text == text)
    }

    @Test(
        "is refused with words if it is none",
        arguments: ["", "{", "[1,", "1 2", "nan", "01", #"{"a" 1}"#, "\"a\u{1}\"", String(repeating: "[", count: 600)])
    func refused(_ text: String) {
        let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(parsing: text) }
        #expect(failure?.what.isEmpty == false)
    }
}
