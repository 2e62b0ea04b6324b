import FirnLog
import TestSupport
import Testing

/// Records that are larger than what is held in memory are written and read piece by piece.
@Suite("Large records")
struct LargeRecordTests {
    private static let held = 16 << 20

    /// `count` blobs whose bytes have so many random bits: 8 do not compress.
    private func blobs(_ count: Int, of size: Int, bits: UInt64, seed: UInt64 = 7) -> LogRecord.Body {
        var random = SeededGenerator(seed: seed)
        let mask = (0..<8).reduce(0 as UInt64) { $0 | (1 << bits - 1) << UInt64($1 * 8) }
        var column = Column(.blob)
        for _ in 0..<count {
            let words = (0..<size / 8).map { _ in random.next() & mask }
            words.withUnsafeBytes { column.append(bytes: $0) }
        }
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: Array(1...Int64(count)), slots: [4],
            new: [column])
        return .changes(ChangeSet(model: 1, groups: [group]))
    }

    private func log(_ files: MemoryFileSystem, heldSizeMax: Int = LargeRecordTests.held) throws -> SegmentLog {
        var options = LogOptions(segmentSize: 4096)
        options.heldSizeMax = heldSizeMax
        return try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: options, fileSystem: files, date: Samples.date)
    }

    private func contents(_ files: MemoryFileSystem, _ path: String) throws -> [UInt8] {
        let file = try files.open(path, .read)
        var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    @Test("that do not compress have the same bytes as if they had been held")
    func plain() throws {
        let bodies = [Samples.oneNote(1), blobs(3, of: 40_000, bits: 8), Samples.oneNote(2)]
        let logs = try [1000, Self.held].map { size in
            let files = MemoryFileSystem()
            let log = try log(files, heldSizeMax: size)
            for body in bodies { try log.save(body) }
            // The headers of segments tell when they were made.
            return try (2...3).map { try contents(files, "/log/0000000000000000000\($0).segment").dropFirst(128) }
        }
        let isSame = logs[0] == logs[1]
        #expect(isSame)
    }

    @Test("come back as they were, however they are written and however small the pieces", arguments: [1, 3, 8])
    func roundTrip(bits: UInt64) throws {
        let body = blobs(30, of: 100_000, bits: bits)
        let small = try log(MemoryFileSystem(), heldSizeMax: 1000)
        let bodies = [.model(Samples.model), body, Samples.oneNote(1)]
        for body in bodies { try small.save(body) }
        let isSame = try small.all().map(\.body) == bodies
        #expect(isSame)
        #expect(try LogMaintenance(small).verify().isSound)
        let info = try small.frame(at: 2)
        #expect(bits == 8 ? info.storedSize == info.rawSize : info.storedSize < info.rawSize)
    }

    @Test("tell updates against the new values piece by piece, too")
    func edits() throws {
        guard case .changes(var changes) = blobs(30, of: 100_000, bits: 8) else { return }
        var old = Column(.blob)
        for row in 0..<30 {
            guard case .blob(var bytes) = changes.groups[0].new[0][row] else { return }
            for index in stride(from: 20_000, to: 60_000 + row, by: 1) { bytes[index] ^= 0x55 }
            old.append(.blob(bytes))
        }
        changes.groups[0].operation = .update
        changes.groups[0].old = [old]
        let log = try log(MemoryFileSystem(), heldSizeMax: 1000)
        try log.save(.changes(changes))
        let isSame = try log.all().map(\.body) == [.changes(changes)]
        #expect(isSame)
        #expect(try log.frame(at: 1).rawSize < 4_400_000)
    }

    @Test("stay in the file while they are read, compressed or not", arguments: [5, 8])
    func reading(bits: UInt64) throws {
        let files = MemoryFileSystem()
        let log = try log(files)
        let body = blobs(14, of: 2 << 20, bits: bits)
        let bodies = [.model(Samples.model), body, Samples.oneNote(2)]
        for body in bodies { try log.save(body) }
        let info = try log.frame(at: 2)
        #expect(info.storedSize > Self.held)
        let again = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        let isSame = try again.all().map(\.body) == bodies
        #expect(isSame)
        let isSameAlone = try again.record(at: 2).body == body
        #expect(isSameAlone)
        #expect(try LogMaintenance(again).verify().isSound)
    }

    @Test("end the log if a byte is flipped, or if they are torn", arguments: [5, 8])
    func damage(bits: UInt64) throws {
        let files = MemoryFileSystem()
        let log = try log(files)
        try log.save(blobs(14, of: 2 << 20, bits: bits))
        let info = try log.frame(at: 1)
        let end = info.offset + Int64(info.frameSize)
        for place in [info.offset + 12_345_678, end - 1] {
            let file = try files.open(info.path, .write)
            var byte: [UInt8] = [0]
            _ = try byte.withUnsafeMutableBytes { try file.read(into: $0, at: place) }
            try [byte[0] ^ 1].withUnsafeBytes { try file.write($0.bytes, at: place) }
            let damaged = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
            #expect(damaged.head == .zero, "byte \(place)")
            try byte.withUnsafeBytes { try file.write($0.bytes, at: place) }
        }
        try files.open(info.path, .write).truncate(end - 40)
        let torn = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
        #expect(torn.head == .zero)
    }
}
