import FirnLog
import Foundation
import TestSupport
import Testing

/// `Documentation/Format.md` and the code say the same.
@Suite("The format")
struct FormatTests {
    private func document() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Documentation/Format.md"), encoding: .utf8)
    }

    /// The rows `| offset | size | field |` of the table after a heading.
    private func fields(after heading: String) throws -> [String: [Int]] {
        let text = try document()
        let start = try #require(text.range(of: "\n## \(heading)\n")).upperBound
        let section = text[start...].prefix(upTo: text[start...].range(of: "\n## ")?.lowerBound ?? text.endIndex)
        var fields: [String: [Int]] = [:]
        for line in section.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count > 3, let offset = Int(cells[0]), let size = Int(cells[1]) else { continue }
            fields[cells[2].trimmingCharacters(in: ["`"])] = [offset, size]
        }
        return fields
    }

    @Test("of a segment's header is what the document says")
    func segmentHeader() throws {
        typealias Place = Format.SegmentOffset
        #expect(
            try fields(after: "Segment") == [
                "magic": [Place.magic, Format.magic.count], "version": [Place.version, 2],
                "headerSize": [Place.headerSize, 2], "flags": [Place.flags, 4],
                "storeID": [Place.storeID, 16], "firstSequence": [Place.firstSequence, 8],
                "modelSequence": [Place.modelSequence, 8], "creationDate": [Place.creationDate, 8],
                "previousDate": [Place.previousDate, 8],
                "dictionary": [Place.dictionary, Place.checksum - Place.dictionary],
                "checksum": [Place.checksum, 4],
                "chain": [Place.chain, Format.segmentHeaderSize - Place.chain],
            ])
    }

    @Test("of a frame's header is what the document says")
    func frameHeader() throws {
        typealias Place = Format.FrameOffset
        #expect(
            try fields(after: "Frame") == [
                "kind": [Place.kind, 1], "flags": [Place.flags, 1], "unsynced": [Place.unsynced, 2],
                "storedSize": [Place.storedSize, 4], "rawSize": [Place.rawSize, 4],
                "checksum": [Place.checksum, 4], "sequence": [Place.sequence, 8],
                "date": [Place.date, Format.frameHeaderSize - Place.date],
            ])
    }

    @Test("of a reference to an external value is what the document says")
    func externalReference() throws {
        let value = Array("large".utf8)
        let reference = value.withUnsafeBytes { ExternalReference(to: $0) }
        let magic = Format.externalMagic.map { String(format: "%02X", $0) }.joined(separator: " ")
        #expect(try document().contains("reference    = \(magic), size of the value (8), its SHA-256 (32)"))
        #expect(reference.bytes.count == Format.externalReferenceSize)
        #expect(Array(reference.bytes[16..<24]) == [5, 0, 0, 0, 0, 0, 0, 0])
        #expect(ExternalReference(bytes: reference.bytes) == reference)
        #expect(ExternalReference(bytes: Array(reference.bytes.dropLast())) == nil)
    }

    /// The log of the document's example.
    private func example() throws -> [UInt8] {
        let files = SimulatedFileSystem(seed: 1)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: files, date: Samples.date)
        var old = Column(.text)
        old.append("Hej")
        var new = Column(.text)
        new.append("Hello")
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .update, primaryKeys: [5], slots: [0], new: [new], old: [old])
        let bodies: [LogRecord.Body] = [
            .reservation([EntityNumber(1): 7]), .changes(ChangeSet(model: 1, groups: [group])),
        ]
        for (index, body) in bodies.enumerated() {
            let header = TransactionHeader(
                date: Samples.date + Int64(index) * 1_000_000,
                id: TransactionID(high: 0, low: UInt64(index + 1)))
            let sequence = try log.exclusively { try log.append(body, header: header) }
            try log.sync(through: sequence)
        }
        let last = try log.frame(at: 2)
        return Array(
            files.contents("/log/00000000000000000001.segment")[..<(Int(last.offset) + last.frameSize)])
    }

    /// Sixteen bytes a line, after their offset.
    private func dump(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let line = bytes[start..<min(start + 16, bytes.count)].map { String(format: "%02x", $0) }
            return String(format: "%04d", start) + "  " + line.joined(separator: " ")
        }.joined(separator: "\n")
    }

    @Test("writes the bytes of the document's example")
    func workedExample() throws {
        let text = try document()
        let start = try #require(text.range(of: "```hex\n")).upperBound
        let end = try #require(text[start...].range(of: "\n```")).lowerBound
        let expected = String(text[start..<end])
        let written = dump(try example())
        #expect(written == expected, "the log is now:\n\(written)")
    }

    @Test("reads the bytes of the document's example")
    func readExample() throws {
        let text = try document()
        let start = try #require(text.range(of: "```hex\n")).upperBound
        let end = try #require(text[start...].range(of: "\n```")).lowerBound
        let bytes = text[start..<end].split(separator: "\n").flatMap { line in
            line.split(separator: " ").dropFirst().compactMap { UInt8($0, radix: 16) }
        }
        let files = SimulatedFileSystem(seed: 1)
        let path = "/log/00000000000000000001.segment"
        _ = try SegmentLog.create(directory: "/log", storeID: StoreID(high: 0, low: 0), fileSystem: files, date: 0)
        files.replace(path, with: bytes)
        let log = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
        #expect(log.storeID == Samples.storeID)
        #expect(try log.all().count == 2)
    }
}
