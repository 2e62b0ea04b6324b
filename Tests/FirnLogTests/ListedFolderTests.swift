import FirnLog
import Synchronization
import TestSupport
import Testing

/// Files in memory. A block is called once, after a folder was read.
private final class ListedFileSystem: FrontedFileSystem {
    let behind: any FileSystem = MemoryFileSystem()
    let afterListing = Mutex<(@Sendable () -> Void)?>(nil)

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File { try behind.open(path, access) }

    func list(_ directory: String) throws(FileError) -> [String] {
        let names = try behind.list(directory)
        afterListing.withLock { $0.take() }?()
        return names
    }
}

@Suite("A folder that is read while this process writes into it")
struct ListedFolderTests {
    private let files = ListedFileSystem()
    private let log: SegmentLog

    init() throws {
        log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: LogOptions(segmentSize: 4096), fileSystem: files,
            date: Samples.date)
        try log.save(.model(Samples.model))
        for key in 1...60 as ClosedRange<Int64> { try log.save(Samples.oneNote(key)) }
    }

    @Test("does not bring back the beginning that was cut off since")
    func trimmedSince() throws {
        files.afterListing.withLock { next in
            next = { [log] in
                try? LogMaintenance(log).trim(through: 40) { try $0(.keys([EntityNumber(1): 40])) }
            }
        }
        try log.refreshBeginning()
        #expect(log.baseline == 40 && log.first == 41)
    }

    @Test("does not hide the segments that were begun since")
    func begunSince() throws {
        files.afterListing.withLock { next in
            next = { [log] in
                for key in 61...120 as ClosedRange<Int64> { _ = try? log.save(Samples.oneNote(key)) }
            }
        }
        try log.refreshBeginning()
        try log.save(Samples.oneNote(121))
        #expect(try log.notes() == Set(1...121))
    }
}
