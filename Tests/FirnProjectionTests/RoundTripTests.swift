import FirnLog
import FirnProjection
import Foundation
import Testing

@Suite("Values in the projection")
struct RoundTripTests {
    static let values: [(String, [PropertyValue])] = [
        ("age", [.integer(.min), .integer(.max), .integer(0)]),
        ("isAdult", [.integer(0), .integer(1)]),
        (
            "score",
            [
                .real(-0.0), .real(0.1), .real(.infinity), .real(-.infinity),
                .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude), .real(3),
            ]
        ),
        ("born", [.real(-63_114_076_800), .real(1e300)]),
        (
            "name",
            [
                .text(""), .text("a\0b"), .text("12"), .text("漢字é e\u{301} 👩‍👩‍👧"),
                .text("'; DROP TABLE \"Person\"; --"), .text(String(repeating: "x", count: 1 << 20)),
            ]
        ),
        ("money", [.text("0.1"), .text("-99999999999999999999999999999999999999"), .text("NaN")]),
        ("page", [.text("https://example.com/ä?q=1")]),
        ("id", [.blob(Array(0..<16))]),
        ("image", [.blob([]), .blob([0, 255, 0])]),
    ]

    @Test("come back as they went in", arguments: values)
    func roundTrip(_ name: String, _ values: [PropertyValue]) throws {
        let sample = try Sample()
        for (index, value) in (values + [.null]).enumerated() {
            let key = Int64(index + 1)
            try sample.save([sample.schema.group(.insert, "Person", key, [name: value])])
            let person = sample.schema.named("Person")
            let slot = Int(sample.schema.slot(person, name))
            let back = try sample.projection.read { reader -> PropertyValue? in
                let row = try reader.row(ObjectKey(entity: person, primaryKey: key))
                return row.map { $0.batch.value(at: $0.row, slot: slot) }
            }
            #expect(back == value)
            // Minus zero equals zero: its bits tell them apart.
            if case .real(let there) = value, case .real(let here)? = back {
                #expect(there.bitPattern == here.bitPattern)
            }
        }
    }

    @Test("keep a NaN")
    func notANumber() throws {
        let sample = try Sample()
        let person = sample.schema.named("Person")
        try sample.save([sample.schema.group(.insert, "Person", 1, ["score": .real(.nan)])])
        let slot = Int(sample.schema.slot(person, "score"))
        let back = try sample.projection.read { reader -> PropertyValue? in
            let row = try reader.row(ObjectKey(entity: person, primaryKey: 1))
            return row.map { $0.batch.value(at: $0.row, slot: slot) }
        }
        guard case .real(let value)? = back else {
            Issue.record("not a real: \(String(describing: back))")
            return
        }
        #expect(value.isNaN)
    }

    @Test("tell the concrete entity of a reference")
    func reference() throws {
        let sample = try Sample()
        let (person, dog) = (sample.schema.named("Person"), sample.schema.named("Dog"))
        let reference = PropertyValue.reference(ObjectKey(entity: dog, primaryKey: 7))
        try sample.save([
            sample.schema.group(.insert, "Dog", 7),
            sample.schema.group(.insert, "Person", 1, ["best": reference]),
        ])
        let rows = try sample.projection.read {
            try $0.rows([ObjectKey(entity: person, primaryKey: 1)])
        }
        #expect(rows.count == 1)
        #expect(rows[0].batch.value(at: 0, slot: Int(sample.schema.slot(person, "best"))) == reference)
    }
}
