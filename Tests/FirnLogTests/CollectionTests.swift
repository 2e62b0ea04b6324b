import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Collecting the values that no record names")
struct CollectionTests {
    private let directory: TemporaryDirectory
    private let files = HeardFileSystem()
    private let log: SegmentLog

    init() throws {
        directory = try TemporaryDirectory()
        log = try SegmentLog.create(
            directory: directory.file("Log").path, storeID: Samples.storeID, fileSystem: files, date: Samples.date)
    }

    private func store(_ byte: UInt8) throws -> ExternalReference {
        try [UInt8](repeating: byte, count: 100).withUnsafeBytes { try log.externalValues.store($0) }
    }

    private static func naming(_ reference: ExternalReference) -> LogRecord.Body {
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: [1], slots: [0],
            new: [Column(.blob, .blob(reference.bytes))])
        return .changes(ChangeSet(model: 1, groups: [group]))
    }

    @Test("leaves one that another writer's record names meanwhile")
    func namedMeanwhile() throws {
        let (unnamed, named) = (try store(1), try store(2))
        let other = try SegmentLog.open(directory: log.directory, forWriting: true)
        let isDone = Atomic(false)
        // The records were read by then.
        files.hear { (call, _) throws(FileError) in
            guard case .acquireLock = call, !isDone.exchange(true, ordering: .relaxed) else { return }
            _ = try? other.save(Self.naming(named))
        }
        #expect(try LogMaintenance(log).collectExternalValues().count == 1)
        #expect(other.head == 1)
        #expect(log.holds(named) && !log.holds(unnamed))
    }

    @Test("does not make a save fail whose file it takes for one that was left unfinished")
    func unfinishedMeanwhile() throws {
        let other = try SegmentLog.open(directory: log.directory, forWriting: true)
        let isDone = Atomic(false)
        files.hear { (call, _) throws(FileError) in
            guard case .rename = call, !isDone.exchange(true, ordering: .relaxed) else { return }
            _ = try? LogMaintenance(other).collectExternalValues()
        }
        let reference = try store(1)
        let wasDone = isDone.load(ordering: .relaxed)
        #expect(wasDone)
        #expect(log.holds(reference))
    }
}
