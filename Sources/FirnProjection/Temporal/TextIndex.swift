internal import FirnFoundation
internal import FirnLog
internal import FirnSQLite
internal import Foundation

/// The words of all values, as they are and as they were: of texts, addresses, numbers and identifiers.
///
///     firn_text_values   each such value of an object, from the record that set it to the one that ended it
///     firn_words         its words, an index of SQLite's FTS5 without the texts
///     firn_texts         a view of both: `WHERE text MATCH 'walden' ORDER BY rank`
struct TextIndex {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Whether the file has it. A file is made without it, until somebody searches.
    static func isThere(on connection: Connection) throws -> Bool {
        try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'firn_words'") == 1
    }

    /// The view's hidden column of FTS5 is found under its own name because SQLite joins the view into the query.
    static let definitions = [
        """
        CREATE TABLE firn_text_values(
          id INTEGER PRIMARY KEY, entity INTEGER NOT NULL, object_key INTEGER NOT NULL, property INTEGER NOT NULL,
          from_record INTEGER NOT NULL, to_record INTEGER, value TEXT NOT NULL)
        """,
        "CREATE INDEX firn_text_values_now ON firn_text_values(object_key, entity, property) WHERE to_record IS NULL",
        """
        CREATE VIRTUAL TABLE firn_words USING fts5(
          text, content = '', tokenize = 'unicode61 remove_diacritics 2')
        """,
        """
        CREATE VIEW firn_texts AS
        SELECT e.name AS entity, v.object_key, p.name AS property, v.from_record, v.to_record,
          coalesce(r.author, r.process) AS set_by, r.date AS set_at, v.value, w.firn_words AS text, w.rank
        FROM firn_words w JOIN firn_text_values v ON v.id = w.rowid JOIN firn_entities e ON e.number = v.entity
          JOIN firn_properties p ON p.entity = v.entity AND p.number = v.property
          LEFT JOIN firn_records r ON r.number = v.from_record
        WHERE v.to_record IS NULL OR v.to_record > v.from_record
        """,
    ]

    /// Adds what a group set, and ends what it replaced. `versions` are those of the rows of a baseline.
    func apply(_ group: ChangeGroup, _ place: EntityPlace, at sequence: SequenceNumber, versions: [Int64]?) throws {
        switch group.operation {
        case .refresh: return
        case .delete:
            for key in group.primaryKeys { try end(key, place.number, nil, sequence) }
        case .insert, .update:
            for (index, slot) in group.slots.enumerated() {
                guard case .attribute(let kind) = place.slots[Int(slot)].kind, kind.hasWords else { continue }
                let (new, old) = (group.new[index], index < group.old.count ? group.old[index] : nil)
                for (row, key) in group.primaryKeys.enumerated() {
                    let value = new[row]
                    if group.operation == .update {
                        if let old, row < old.count, old[row] == value { continue }
                        try end(key, place.number, slot, sequence)
                    }
                    guard let text = kind.text(value) else { continue }
                    try add(text, key, place.number, slot, versions?[row] ?? Int64(sequence.rawValue))
                }
            }
        }
    }

    private func add(
        _ text: String, _ key: Int64, _ entity: EntityNumber, _ slot: UInt16, _ record: Int64
    ) throws {
        try connection.withStatement(
            "INSERT INTO firn_text_values(entity, object_key, property, from_record, value) "
                + "VALUES (?1, ?2, ?3, ?4, ?5)"
        ) { statement in
            try statement.bind([Int64(entity.rawValue), key, Int64(slot), record])
            try statement.bind(text, at: 5)
            try statement.run()
        }
        try connection.withStatement("INSERT INTO firn_words(rowid, text) VALUES (last_insert_rowid(), ?1)") {
            try $0.bind(TextQuery.spaced(text), at: 1)
            try $0.run()
        }
    }

    /// Ends the value of one property, or of all.
    private func end(_ key: Int64, _ entity: EntityNumber, _ slot: UInt16?, _ sequence: SequenceNumber) throws {
        let sql = "UPDATE OR FAIL firn_text_values SET to_record = ?1 "
            + "WHERE to_record IS NULL AND object_key = ?2 AND entity = ?3"
        try connection.withStatement(slot == nil ? sql : sql + " AND property = ?4") { statement in
            try statement.bind(
                [Int64(sequence.rawValue), key, Int64(entity.rawValue)] + (slot.map { [Int64($0)] } ?? []))
            try statement.run()
        }
    }
}

extension AttributeKind {
    fileprivate var hasWords: Bool {
        switch self {
        case .string, .uri, .uuid, .integer16, .integer32, .integer64, .decimal, .double, .float: true
        case .boolean, .date, .binary, .transformable, .objectID: false
        }
    }

    /// The value as people write it; nil for one without words.
    fileprivate func text(_ value: PropertyValue) -> String? {
        switch value {
        case .text(let text): text.isEmpty ? nil : text
        case .integer(let number): "\(number)"
        case .real(let number): number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
        case .blob(let bytes) where bytes.count == 16:
            bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
        case .null, .blob, .reference: nil
        }
    }
}

/// A person's words as a query in the language of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax).
///
///     walden pond      values with both words, of which the last may go on: “Walden, or the Pond's life”; the best
///                      are those that have them next to each other
///     "walden pond"    with the words next to each other
///     walden␣          a space behind the last word ends it
///
/// Scripts without spaces are indexed by their letters, so that any part of such a text is found.
package struct TextQuery: Sendable {
    /// Nil for a text without a word.
    package let expression: String?

    package init(_ text: String) {
        // SQLite's expression ends at a NUL.
        let parts = Self.parts(text.replacing("\0", with: " "))
        guard let last = parts.last else {
            expression = nil
            return
        }
        let end = last.isQuoted || text.last?.isWhitespace ?? true ? "" : "*"
        func phrases(_ texts: [String]) -> String {
            texts.map { "\"\(Self.spaced($0))\"" }.joined(separator: " ") + end
        }
        let words = parts.map(\.text)
        let isPhrase = words.count > 1 && !parts.contains(where: \.isQuoted)
        expression = (isPhrase ? phrases([words.joined(separator: " ")]) + " OR " : "") + phrases(words)
    }

    /// Words, and what is between quotation marks. Without a letter or digit neither has anything to find.
    private static func parts(_ text: String) -> [(text: String, isQuoted: Bool)] {
        var parts: [(text: String, isQuoted: Bool)] = []
        for (index, run) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            let isQuoted = !index.isMultiple(of: 2)
            let words = isQuoted ? [run] : run.split(whereSeparator: \.isWhitespace)
            parts += words.map { (String($0), isQuoted) }
        }
        return parts.filter { $0.text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.isDigit } }
    }

    /// A text in which each letter of a script without spaces is a word.
    static func spaced(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isOfScriptWithoutSpaces) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isOfScriptWithoutSpaces {
                result.append(contentsOf: [" ", scalar, " "])
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { properties.numericType != nil }
}
