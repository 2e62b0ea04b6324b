import FirnLog
import FirnProjection
import FirnSQLite
import Foundation
import Synchronization
import Testing

/// What holds although readers go on with the transaction of the one before.
@Suite("A reader's transaction that is kept")
struct KeptTransactionTests {
    private final class Tables {
        let path = ProjectionTests.temporaryPath()
        let sample: Sample
        private(set) var tagCount: Int64 = 0

        init() throws { sample = try Sample(.file(path)) }

        deinit { ProjectionTests.remove(path) }

        var walSize: Int {
            get throws { try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0 }
        }

        func save() throws {
            tagCount += 1
            try sample.save([sample.schema.group(.insert, "Tag", tagCount, ["label": .text("x")])])
        }

        /// The same tables as another program has them open.
        func opened() throws -> Projection {
            let head = sample.projection.checkpoint
            return try Projection.open(
                .file(path), schema: sample.schema, storeID: "S", modelSequence: 1, head: head).0
        }
    }

    @Test("shows every commit of this program to whoever reads next")
    func ownCommits() throws {
        let tables = try Tables()
        for _ in 0..<50 {
            try tables.save()
            let seen = try tables.sample.projection.read { try $0.checkpoint }
            #expect(seen == tables.sample.projection.checkpoint)
        }
    }

    @Test("shows what another program committed once that is known")
    func othersCommits() throws {
        let tables = try Tables()
        let other = try tables.opened()
        for _ in 0..<50 {
            _ = try other.read { try $0.checkpoint }
            try tables.save()
            let committed = tables.sample.projection.checkpoint
            #expect(try other.storedCheckpoint() == committed)
            #expect(try other.read { try $0.checkpoint } == committed)
        }
    }

    @Test("is never behind what was known when the read began, whoever writes")
    func manyReaders() throws {
        let tables = try Tables()
        let (own, other) = (tables.sample.projection, try tables.opened())
        let isOver = Atomic(false)
        let failures = Mutex<[String]>([])
        let readers = DispatchGroup()
        for projection in [own, other] {
            for asks in [false, true] {
                DispatchQueue.global().async(group: readers) {
                    while !isOver.load(ordering: .relaxed) {
                        do {
                            if asks { _ = try projection.storedCheckpoint() }
                            let known = projection.checkpoint
                            let seen = try projection.read { try $0.checkpoint }
                            if seen < known { failures.withLock { $0.append("\(seen) after \(known)") } }
                        } catch {
                            failures.withLock { $0.append("\(error)") }
                        }
                    }
                }
            }
        }
        for _ in 0..<300 { try tables.save() }
        isOver.store(true, ordering: .relaxed)
        readers.wait()
        #expect(failures.withLock { $0 } == [])
    }

    @Test("ends by itself, so that others can start the write-ahead log anew")
    func checkpoints() throws {
        let tables = try Tables()
        let other = try tables.opened()
        try tables.save()
        _ = try other.read { try $0.checkpoint }
        try tables.save()
        let connection = try Connection(.file(tables.path), mode: .readWrite)
        connection.setBusyTimeout(milliseconds: 60_000)
        // The first column: whether a reader was in the way for all that time.
        #expect(try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
        let log = try FileManager.default.attributesOfItem(atPath: tables.path + "-wal")
        #expect(log[.size] as? Int == 0)
    }

    @Test("keeps no commit of this program from moving all of the write-ahead log into the file")
    func commitsCheckpoint() throws {
        let tables = try Tables()
        let (sample, text) = (tables.sample, PropertyValue.text(String(repeating: "x", count: 1 << 23)))
        for key in 1...5 {
            try sample.save([sample.schema.group(.insert, "Tag", Int64(key), ["label": text])])
            _ = try sample.projection.read { try $0.checkpoint }
            sample.projection.checkpointWAL()
        }
        // Each commit begins the log again.
        #expect(try tables.walSize < 2 << 23)
    }

    @Test("A rebuild by another program leaves this one its pragmas")
    func pragmas() throws {
        let tables = try Tables()
        let (sample, text) = (tables.sample, PropertyValue.text(String(repeating: "x", count: 1 << 23)))
        try sample.projection.set([("journal_size_limit", "0")])
        let records = sample.records
        try tables.opened().rebuild { apply in for record in records { try apply(record) } }
        try sample.save([sample.schema.group(.insert, "Tag", 1, ["label": text])])
        sample.projection.checkpointWAL()
        try sample.save([sample.schema.group(.insert, "Tag", 2)])
        // SQLite cuts the log at its beginning.
        #expect(try tables.walSize < 100_000)
    }

    @Test("gives way to tables that were built anew")
    func rebuild() throws {
        let tables = try Tables()
        let other = try tables.opened()
        try tables.save()
        _ = try tables.sample.projection.read { try $0.checkpoint }
        _ = try other.read { try $0.checkpoint }
        // The tables alone are another record's from now on, so that the two can be told apart.
        let records = tables.sample.records + [Sample.record(3, .changes(ChangeSet(model: 1)))]
        try tables.sample.projection.rebuild { apply in for record in records { try apply(record) } }
        #expect(try tables.sample.projection.read { try $0.checkpoint } == 3)
        #expect(try other.storedCheckpoint() == 3)
    }

    @Test("does not hide for long that the tables are gone")
    func removed() throws {
        let tables = try Tables()
        try tables.save()
        let projection = tables.sample.projection
        _ = try projection.read { try $0.checkpoint }
        ProjectionTests.remove(tables.path)
        while (try? projection.read { try $0.checkpoint }) != nil {}
        #expect(throws: SQLiteError.self) { try projection.read { try $0.checkpoint } }
    }

    @Test("goes with its projection, which closes the files")
    func closing() throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        var sample: Sample? = try Sample(.file(path))
        _ = try sample?.projection.read { try $0.checkpoint }
        sample = nil
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(links.filter { $0.hasPrefix(path) } == [])
    }
}
