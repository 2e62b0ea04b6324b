import FirnLog
import Foundation
import Testing

/// Every number that `Documentation/Format.md` gives a meaning is the code's, and the other way round.
@Suite("The numbers of the format")
struct FormatNumberTests {
    private let page: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Documentation/Format.md"), encoding: .utf8)
        // Where a line ends says nothing.
        page = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }

    /// What stands between two texts, the first place where it does, as one line.
    private func part(after start: String, before end: String) throws -> String {
        let first = try #require(page.range(of: start), "the page says: \(start)").upperBound
        let last = try #require(page[first...].range(of: end), "the page says: \(end)").lowerBound
        return String(page[first..<last].map { $0 == "\n" ? " " : $0 })
    }

    /// `1 one, 2 two` as names by number.
    private func list(after start: String, before end: String) throws -> [UInt8: String] {
        let entries = try part(after: start, before: end).split(separator: ",").map { entry in
            let words = entry.split(separator: " ", maxSplits: 1)
            return (try #require(UInt8(words[0])), String(words[1]).trimmingCharacters(in: .whitespaces))
        }
        return Dictionary(uniqueKeysWithValues: entries)
    }

    private func names<Value: RawRepresentable<UInt8>>(_ values: [Value]) -> [UInt8: String] {
        Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, "\($0)") })
    }

    @Test("of frames: kinds")
    func kinds() throws {
        #expect(
            try list(after: "| `kind` | ", before: " |")
                == names([FrameKind.model, .changes, .reservation, .erasure]))
        #expect(page.contains("end (kind \(FrameKind.end.rawValue))"))
        for (kind, name) in [(FrameKind.model, "model"), (.reservation, "reservation"), (.changes, "changes")] {
            #expect(page.contains("\n\(name) (kind \(kind.rawValue))"))
        }
        #expect(page.contains("A later record of kind \(FrameKind.erasure.rawValue) has to name"))
    }

    @Test("of frames: flags")
    func flags() throws {
        let row = try part(after: "| `flags` | bit 0: the payload", before: " |")
        #expect(row == " is compressed; bit 1: it was redacted; bit 2: it is compressed with the segment's dictionary")
        #expect([FrameFlags.compressed, .redacted, .dictionary].map(\.rawValue) == [1 << 0, 1 << 1, 1 << 2])
    }

    @Test("of types, operations and kinds of attributes")
    func values() throws {
        var types = names(StorageType.allCases)
        types[0] = "nothing"
        #expect(try list(after: "bits 0–2 type (", before: "), bit 3") == types)
        #expect(
            try list(after: "bits 0–2 operation: ", before: "; bit 3") == names(ChangeGroup.Operation.allCases))
        #expect(page.contains("bit 3 has new columns,\nbit 4 has old ones"))
        #expect([GroupPart.new, GroupPart.old] == [1 << 3, 1 << 4])
        #expect(
            try list(after: "attribute     kind (byte): ", before: "\n2 to-one") == names(AttributeKind.allCases))
    }

    @Test("of the parts of a transaction's header")
    func headerParts() throws {
        let text = try part(after: "what `parts` says, in this order:\n", before: "\nbody")
        let parts: [(HeaderParts, String)] = [
            (.author, "author"), (.contextName, "context name"), (.bundleID, "bundle ID"),
            (.process, "process name"), (.metadata, "metadata"),
        ]
        var rest = text[...]
        for (part, name) in parts {
            let said = "bit \(part.rawValue.trailingZeroBitCount) \(name)"
            rest = try rest[#require(rest.range(of: said), "in order: \(said)").upperBound...]
        }
    }

    @Test("of models and migrations")
    func models() {
        let properties = [
            (PropertyPart.attribute, "attribute"), (PropertyPart.toOne, "to-one"), (PropertyPart.toMany, "to-many"),
            (PropertyPart.position, "position"), (PropertyPart.transient, "transient"),
        ]
        for (number, name) in properties { #expect(page.contains("\n\(number) \(name)")) }
        #expect(page.contains("byte: bit 0 ordered, bit 1 canonical"))
        #expect([PropertyPart.ordered, PropertyPart.canonical] == [1 << 0, 1 << 1])
        #expect(page.contains("with bit 0 of what: count, moved entity …; with bit 1: changes"))
        #expect([MigrationPart.entities, MigrationPart.rows] == [1 << 0, 1 << 1])
        let sources = [
            (MigrationPart.none, "nothing"), (MigrationPart.slot, "slot"), (MigrationPart.inverse, "inverse"),
        ]
        for (number, name) in sources { #expect(page.contains("\n\(number) \(name)  ")) }
        #expect(page.contains("with bit 7 of from"))
        #expect(MigrationPart.fallback == 1 << 7)
    }

    @Test("of the encodings of columns")
    func encodings() throws {
        var columns: [[UInt8: String]] = [[:], [:], [:]]
        let table = try #require(page.range(of: "| encoding | integers | reals | texts and blobs |\n")).upperBound
        for line in page[table...].split(separator: "\n").dropFirst().prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let number = try #require(UInt8(cells[0]))
            for (column, cell) in cells.dropFirst().enumerated() where !cell.isEmpty {
                columns[column][number] = String(cell.prefix { $0.isLetter })
            }
        }
        #expect(columns[0] == names(IntegerEncoding.allCases))
        #expect(columns[1] == names(RealEncoding.allCases))
        #expect(columns[2] == names(RunsEncoding.allCases))
    }

    @Test("of files: names, magic numbers, sizes, the version")
    func files() throws {
        let names = [
            Format.segmentSuffix, Format.baselineSuffix, Format.dictionarySuffix, Format.subscriptionSuffix,
            Format.attachmentName, Format.externalName + "/", Format.pendingErasureName, Format.unfinishedName,
            Format.unfinishedBaselineName, Format.unfinishedErasureName, Format.lockName, Format.trimLockName,
            Format.packLockName,
        ]
        let listing = try part(after: "Library.sqlite-log/", before: "What the format assumes")
        for name in names { #expect(listing.contains(name), "\(name)") }
        #expect(page.contains("its first record's sequence number, \(Format.segmentDigits) digits"))
        for magic in [Format.magic, Format.baselineMagic, Format.externalMagic] {
            #expect(page.contains(magic.map { String(format: "%02X", $0) }.joined(separator: " ")))
        }
        #expect(page.hasPrefix("# The format of the log, version \(Format.version)\n"))
        #expect(page.contains("`version` | \(Format.version) |"))
        #expect(page.contains("`headerSize` | \(Format.segmentHeaderSize) |"))
        #expect(page.contains("Frames begin at multiples of \(Format.alignment)."))
        let ending = "zeros to a multiple of \(Format.alignment), link (\(Format.linkSize) bytes)"
        #expect(page.contains("frame = header, payload, " + ending))
        #expect(page.contains("`rawSize` | bytes of the payload before compression, at most 2^30"))
        #expect(Format.payloadSizeMax == 1 << 30)
    }
}
