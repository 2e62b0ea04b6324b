import FirnLog
import Foundation
import Testing

/// The log on real files.
@Suite("A log on a disk")
struct PosixTests {
    /// A folder that is gone after the test.
    private final class Folder {
        let path: String
        var log: String { path + "/x.sqlite-log" }

        init() throws {
            path = FileManager.default.temporaryDirectory.path + "/firn-log-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func create(_ folder: Folder, options: LogOptions = LogOptions()) throws -> SegmentLog {
        try SegmentLog.create(
            directory: folder.log, storeID: Samples.storeID, options: options, date: Samples.date)
    }

    @Test("is written by many threads through two logs at once, without a gap")
    func manyWriters() async throws {
        let folder = try Folder()
        let options = LogOptions(segmentSize: 8192)
        let logs = [
            try create(folder, options: options),
            try SegmentLog.open(directory: folder.log, forWriting: true, options: options),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    for count in 0..<30 {
                        try logs[worker % 2].save(Samples.oneNote(Int64(worker * 1000 + count)))
                    }
                }
            }
            try await group.waitForAll()
        }
        let reader = try SegmentLog.open(directory: folder.log, forWriting: false)
        let records = try reader.all()
        #expect(records.map(\.sequence.rawValue) == Array(1...180))
        #expect(Set(records.map(\.body)).count == 180)
    }

    @Test("is renamed, and exchanged for another one, as a folder", arguments: [false, true])
    func renamed(inMemory: Bool) throws {
        let folder = try Folder()
        let files: any FileSystem = inMemory ? MemoryFileSystem() : PosixFileSystem()
        let (one, other, third) = (folder.path + "/one", folder.path + "/one-other", folder.path + "/third")
        for (directory, count) in [(one, 1), (other, 2)] {
            let log = try SegmentLog.create(
                directory: directory, storeID: Samples.storeID, fileSystem: files, date: Samples.date)
            for number in 0..<count { try log.save(Samples.oneNote(Int64(number))) }
            log.close()
        }
        func head(_ directory: String) throws -> UInt64 {
            let log = try SegmentLog.open(directory: directory, forWriting: false, fileSystem: files)
            defer { log.close() }
            return log.head.rawValue
        }
        try files.exchange(one, with: other)
        #expect(try [head(one), head(other)] == [2, 1])
        try files.rename(other, to: third)
        #expect(try [head(one), head(third)] == [2, 1])
        #expect(try files.kind(of: other) == nil)
        let error = #expect(throws: FileError.self) { try files.exchange(one, with: other) }
        #expect(error?.reason == .missing)
    }

    @Test("wakes a watcher of another log on the folder", arguments: [false, true])
    func watching(inMemory: Bool) async throws {
        let folder = try Folder()
        let files: any FileSystem = inMemory ? MemoryFileSystem() : PosixFileSystem()
        let log = try SegmentLog.create(
            directory: folder.log, storeID: Samples.storeID, fileSystem: files, date: Samples.date)
        let follower = try SegmentLog.open(directory: folder.log, forWriting: false, fileSystem: files)
        let watcher = try LogWatcher(follower)
        let seen = AsyncStream<UInt64>.makeStream()
        let thread = Thread {
            var position = SequenceNumber.zero
            while (try? watcher.wait(after: position)) == true {
                position = follower.head
                seen.continuation.yield(position.rawValue)
            }
            seen.continuation.finish()
        }
        thread.start()
        var iterator = seen.stream.makeAsyncIterator()
        for key in 1...5 {
            try log.save(Samples.oneNote(Int64(key)))
            #expect(await iterator.next() == UInt64(key))
        }
        watcher.cancel()
        #expect(await iterator.next() == nil)
    }

    @Test("refuses what is no log, and says which")
    func strangeFiles() throws {
        let folder = try Folder()
        func code(_ path: String) -> LogError.Code? {
            (#expect(throws: LogError.self) { try SegmentLog.open(directory: path, forWriting: true) })?.code
        }
        #expect(code(folder.path + "/none") == .missing)
        #expect(code(folder.path) == .notALog)
        try "a text".write(toFile: folder.path + "/text", atomically: false, encoding: .utf8)
        #expect(code(folder.path + "/text") == .notALog)
        try FileManager.default.createDirectory(atPath: folder.log, withIntermediateDirectories: false)
        try "a text".write(
            toFile: folder.log + "/00000000000000000001.segment", atomically: false, encoding: .utf8)
        #expect(code(folder.log) == .notALog)
        let error = #expect(throws: LogError.self) {
            try SegmentLog.create(directory: folder.path, storeID: Samples.storeID, date: 0)
        }
        #expect(error?.code == .notALog)
    }

    @Test("is not created where one is")
    func twice() throws {
        let folder = try Folder()
        _ = try create(folder)
        let error = #expect(throws: LogError.self) { try create(folder) }
        #expect(error?.code == .alreadyExists)
        #expect(try SegmentLog.exists(directory: folder.log))
        #expect(try SegmentLog.exists(directory: folder.path) == false)
    }

    @Test("times out while another log holds the lock")
    func lockTimeout() throws {
        let folder = try Folder()
        let log = try create(folder)
        let other = try SegmentLog.open(
            directory: folder.log, forWriting: true, options: LogOptions(lockTimeout: 2000))
        try log.exclusively {
            let error = #expect(throws: LogError.self) { try other.exclusively { } }
            #expect(error?.code == .locked)
        }
        try other.exclusively { }
    }

    @Test("keeps the promise of each durability", arguments: [Durability.synced, .bounded(microseconds: 500), .system])
    func durabilities(_ durability: Durability) throws {
        let folder = try Folder()
        let log = try create(folder, options: LogOptions(durability: durability))
        try log.exclusively { _ = try log.append(Samples.oneNote(1), header: Samples.header()) }
        try log.acknowledge(through: 1)
        switch durability {
        case .synced: #expect(log.durableThrough == 1)
        case .system: #expect(log.durableThrough == 0)
        case .bounded:
            let deadline = Date().addingTimeInterval(20)
            while log.durableThrough == .zero, Date() < deadline { sched_yield() }
            #expect(log.durableThrough == 1)
        }
        log.close()
        let error = #expect(throws: LogError.self) { try log.record(at: 1) }
        #expect(error?.code == .closed)
    }
}
