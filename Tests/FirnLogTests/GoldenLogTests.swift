import FirnLog
import Foundation
import TestSupport
import Testing

/// Bytes that an earlier build wrote. They stay as they are: what was ever written is readable for ever.
@Suite("A log with a dictionary that an earlier build wrote")
struct GoldenLogTests {
    private static let dictionary = "/log/8ffb7b82af57617ec803431c4b173945540a21e9baf217101ccb0be9.dictionary"
    private static let words = "Buy milk and bread Ada Lovelace git-history the title of a note number "
    private static let paths = ["/log/00000000000000000001.segment", "/log/00000000000000000002.segment"]
    private static let segments = [
        """
            RklSTkxPRwoBAIAAAAAAAAEjRWeJq03vgSNFZ4mrze8BAAAAAAAAAAAAAAAAAAAAAEAeGCQKBgAAAAAAAAAAgAAAAAAAAAAA\
            AAAAAAAAAAAAAAAAAAAAAAAAAACOzKxWAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAAAWgAAAFoAAABlgge7\
            AQAAAAAAAABAgi0YJAoGABEAAAAAAAAABwAAAAAAAAABDEFkYSBMb3ZlbGFjZQtnaXQtaGlzdG9yec5JAQEETm90ZQAEBXRp\
            dGxlAQgEZGF0ZQEJBXN0YXJzAQEFb3duZXICAgVtb2RlbAAAAAAAAJjpngkta6JrB27ld8lzMJN5F6ybGIf0Jek60SpHsJ+m
            """,
        """
            RklSTkxPRwoBAIAAAQAAAAEjRWeJq03vgSNFZ4mrze8CAAAAAAAAAAEAAAAAAAAAhmQwvctgBgBAgi0YJAoGAI/7e4KvV2F+\
            yANDHEsXOUVUCiHpuvIXEBzLC+ngs/T0mOmeCS1romsHbuV3yXMwk3kXrJsYh/Ql6TrRKkewn6YCBQAAPAAAAGcAAACLb5A9\
            AgAAAAAAAACAxDwYJAoGACBnvQEAVAIRAAcAAgwLzkkBAQkBAQECBBMcMRIAAEAAHKHFQREKBQEEARgABgBYCMzUQohvEjgG\
            Aw8ACwAAAABmgyKwJb8/LI6NgG5Pnmi8rvv7c8ona8HE26Z3YDuNSQIFAAA8AAAAZwAAAAGEv8EDAAAAAAAAAMAGTBgkCgYA\
            IGe9AQBUAhEABwADDAvOSQEBCQEBAQQEExwyEgAAQAAcocVBEQoFAQQBGAAGAFgIzNRCiG8SOAYDDwALAAAAAKXDBXxbu6OG\
            XWhKYLhNoXcbF7DyjsG+gD1CpJTCE2eK
            """,
    ]

    private func files() throws -> SimulatedFileSystem {
        let files = SimulatedFileSystem(seed: 1)
        try files.createDirectory("/log")
        for (path, text) in zip(Self.paths, Self.segments) {
            files.replace(path, with: Array(try #require(Data(base64Encoded: text))))
        }
        files.replace(Self.dictionary, with: Array(Self.words.utf8))
        return files
    }

    private func body(_ key: Int64) -> LogRecord.Body {
        Samples.oneNote(key, title: "the title of a note number \(key)")
    }

    @Test("is read, and written on")
    func reading() throws {
        let files = try files()
        let log = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        #expect(try log.all().map(\.body) == [.model(Samples.model), body(1), body(2)])
        #expect(try LogMaintenance(log).verify().isSound)
        try log.save(body(3))
        #expect(try log.all().count == 4)
    }

    @Test("keeps the records that are whole when it is cut short anywhere")
    func everyTruncation() throws {
        let whole = try files().contents(Self.paths[1])
        let frames = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files())
        let ends = try ([2, 3] as [UInt64]).map { number in
            let frame = try frames.frame(at: SequenceNumber(number))
            return Int(frame.offset) + frame.frameSize
        }
        for size in 128..<whole.count {
            let files = try files()
            files.replace(Self.paths[1], with: Array(whole[..<size]))
            let log = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
            #expect(log.head.rawValue == 1 + UInt64(ends.count { $0 <= size }), "\(size) bytes")
            #expect(try LogMaintenance(log).verify().isSound, "\(size) bytes")
        }
    }

    /// Only the very last record has nobody to speak for it: the log then ends before it.
    @Test("of which any bit of any file was flipped is found out, or ends before its last record", arguments: 0..<8)
    func everyFlippedBit(bit: Int) throws {
        let whole = try files()
        let last = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: whole).frame(at: 3)
        for path in Self.paths + [Self.dictionary] {
            let bytes = whole.contents(path)
            for offset in bytes.indices {
                let files = try files()
                var changed = bytes
                changed[offset] ^= 1 << UInt8(bit)
                files.replace(path, with: changed)
                let isLast = path == Self.paths[1] && Int64(offset) >= last.offset
                #expect(try state(files) == (isLast ? "2 records" : "damaged"), "\(path), byte \(offset)")
            }
        }
    }

    private func state(_ files: SimulatedFileSystem) throws -> String {
        do {
            let log = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
            let report = try LogMaintenance(log).verify()
            return report.isSound ? "\(report.head) records" : "damaged"
        } catch is LogError {
            return "damaged"
        }
    }

    @Test("of which another file than the last segment was cut short anywhere is found out")
    func everyOtherTruncation() throws {
        for path in [Self.paths[0], Self.dictionary] {
            let bytes = try files().contents(path)
            for size in bytes.indices {
                let files = try files()
                files.replace(path, with: Array(bytes[..<size]))
                #expect(try state(files) == "damaged", "\(path), \(size) bytes")
            }
        }
    }
}
