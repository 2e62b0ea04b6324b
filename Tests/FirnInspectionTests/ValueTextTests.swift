import FirnInspection
import FirnLog
import Testing

@Suite("Values as texts")
struct ValueTextTests {
    @Test("numbers without a value of their own are words", arguments: [(Double.nan, "nan"), (-.infinity, "-inf")])
    func notFinite(_ number: Double, _ text: String) throws {
        let value = ValueText(value: .real(number), property: nil, names: ModelNames(LogModel(entities: [])))
        #expect(try [value.short, value.text, value.plain] == [text, text, text])
    }
}
