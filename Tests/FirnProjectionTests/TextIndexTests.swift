import FirnLog
import FirnModel
import FirnProjection
import FirnSQLite
import Foundation
import Testing

/// The words of a history file, asked for by a connection that has none of our functions.
@Suite("Words in the history file")
struct TextIndexTests {
    private func history(_ sample: Sample, _ path: String) throws {
        let temporal = try TemporalProjection(
            .file(path), schema: sample.schema, storeID: "S", modelSequence: 1, needsWords: true)
        try temporal.catchUp { after, apply in
            for record in sample.records where record.sequence > after { try apply(record) }
        }
    }

    @Test(
        "Each value that has words lasts from the record that set it to the one that ended it",
        arguments: [41, 42, 43])
    func everyValue(seed: Int) throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: UInt64(seed))
        var expected = ExpectedTexts(sample.schema)
        for step in 0..<300 {
            let changes = history.next()
            try sample.append(.changes(changes))
            expected.apply(changes, at: sample.records.count)
            if step.isMultiple(of: 50) { try self.history(sample, path) }
        }
        try self.history(sample, path)
        let plain = try Connection(.file(path), mode: .readOnly)
        let values = try plain.texts(
            """
            SELECT e.name, v.object_key, p.name, v.from_record, v.to_record, v.value FROM firn_text_values v
            JOIN firn_entities e ON e.number = v.entity
            JOIN firn_properties p ON p.entity = v.entity AND p.number = v.property
            WHERE v.to_record IS NULL OR v.to_record > v.from_record
            """)
        #expect(!values.isEmpty)
        #expect(values.sorted() == expected.lines.sorted(), "seed \(seed)")
        for word in ["ada", "zoe", "k9", "fifteen"] {
            let found = try plain.texts(
                "SELECT object_key, from_record, value FROM firn_texts WHERE text MATCH '\(word)' ORDER BY rank")
            let wanted = expected.texts.filter { $0.isIn(word) }.map { "\($0.key)|\($0.start)|\(quoted($0.value))" }
            #expect(!wanted.isEmpty)
            #expect(found.sorted() == wanted.sorted(), "seed \(seed), \(word)")
        }
    }

    private func found(_ values: [String], _ query: String) throws -> [String] {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample()
        let tag = sample.schema.named("Tag")
        var group = ChangeGroup(entity: tag, operation: .insert)
        group.primaryKeys = (1...Int64(values.count)).map(\.self)
        group.slots = [sample.schema.slot(tag, "label")]
        var column = Column(.text)
        for value in values { column.append(.text(value)) }
        group.new = [column]
        var changes = ChangeSet(model: 1)
        changes.groups = [group]
        try sample.append(.changes(changes))
        try history(sample, path)
        guard let expression = TextQuery(query).expression else { return [] }
        let plain = try Connection(.file(path), mode: .readOnly)
        return try plain.withStatement("SELECT value FROM firn_texts WHERE text MATCH ?1 ORDER BY value") {
            try $0.bind(expression, at: 1)
            var values: [String] = []
            while try $0.step() { values.append($0.text(0)) }
            return values
        }
    }

    @Test(
        "A query finds the values with its words",
        arguments: [
            ("walden", ["Walden", "Walden Pond", "waldén"]), ("pond walden", ["Walden Pond"]),
            ("wald", ["Walden", "Walden Pond", "waldén"]), ("wald ", []), ("alden", []),
            ("\"walden pond\"", ["Walden Pond"]), ("\"pond walden\"", []), ("2024-0017", ["INV-2024-0017"]),
            ("inv 2024", ["INV-2024-0017"]), ("京", ["東京都庁"]), ("東京", ["東京都庁"]), ("京都庁", ["東京都庁"]),
            ("東都", []), ("ไทย", ["ภาษาไทย"]), ("", []), ("  ", []), ("!? \"", []), ("NOT", []),
        ])
    func queries(query: String, wanted: [String]) throws {
        let values = ["Walden", "Walden Pond", "waldén", "INV-2024-0017", "東京都庁", "ภาษาไทย"]
        #expect(try found(values, query) == wanted.sorted())
    }

    @Test("No text that a person writes is an error of SQL", arguments: [1, 2])
    func anyText(seed: UInt64) throws {
        let connection = try Connection(.memory, mode: .create)
        try connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", "\"", "*", " ", "OR", "AND", "NOT", "NEAR(", ")", ":", "^", "-", "'", "\0", "京", "é", "{", "7", ",",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let expression = TextQuery(text).expression else { continue }
            #expect(throws: Never.self, "seed \(seed): \(text.debugDescription)") {
                try connection.withStatement("SELECT * FROM words WHERE words MATCH ?1") {
                    try $0.bind(expression, at: 1)
                    _ = try $0.step()
                }
            }
        }
    }
}

private func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

/// The values with words that change sets make, computed by walking through them.
private struct ExpectedTexts {
    struct Value {
        var entity: String
        var key: Int64
        var property: String
        var value: String
        var start: Int
        var end: Int?

        /// Whether a word of it, without case and accents, is this one.
        func isIn(_ word: String) -> Bool {
            value.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
                .split { !$0.isLetter && !$0.isNumber }.contains { $0 == word }
        }
    }

    private let schema: StoreSchema
    private(set) var texts: [Value] = []

    init(_ schema: StoreSchema) { self.schema = schema }

    var lines: [String] {
        texts.map { text in
            let end = text.end.map { "\($0)" } ?? "NULL"
            return "'\(text.entity)'|\(text.key)|'\(text.property)'|\(text.start)|\(end)|\(quoted(text.value))"
        }
    }

    mutating func apply(_ changes: ChangeSet, at record: Int) {
        for group in changes.groups {
            guard let place = schema.layout.place(group.entity) else { continue }
            for (row, key) in group.primaryKeys.enumerated() {
                if group.operation == .delete { end(place.name, key, nil, record) }
                if group.operation == .delete || group.operation == .refresh { continue }
                for (index, slot) in group.slots.enumerated() {
                    let property = place.slots[Int(slot)]
                    guard case .attribute(let kind) = property.kind else { continue }
                    if group.operation == .update, group.old[index][row] == group.new[index][row] { continue }
                    end(place.name, key, property.name, record)
                    guard let value = Self.words(group.new[index][row], kind), !value.isEmpty else { continue }
                    texts.append(
                        Value(entity: place.name, key: key, property: property.name, value: value, start: record))
                }
            }
        }
        texts.removeAll { $0.end == $0.start }
    }

    private mutating func end(_ entity: String, _ key: Int64, _ property: String?, _ record: Int) {
        for index in texts.indices
        where texts[index].end == nil && texts[index].entity == entity && texts[index].key == key
            && texts[index].property == property ?? texts[index].property
        { texts[index].end = record }
    }

    private static func words(_ value: PropertyValue, _ kind: AttributeKind) -> String? {
        switch (kind, value) {
        case (.boolean, _), (.date, _), (.binary, _): nil
        case (_, .text(let text)): text
        case (_, .integer(let number)): String(number)
        case (_, .real(let number)): number == 0 ? "0" : String(number)
        case (.uuid, .blob(let bytes)): NSUUID(uuidBytes: bytes).uuidString
        default: nil
        }
    }
}
