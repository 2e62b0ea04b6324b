import FirnLog
import FirnModel
import Foundation

/// How far the staged migration of a store has come, as its log says.
package struct StagedProgress {
    /// The checksum of the store's model.
    package let checksum: String
    /// Whether the handler that follows a stage's migration has not come to its end.
    package let isUnfinished: Bool

    private static let key = "stagedMigration"
    /// In the header of the migration that a handler follows.
    package static let begun = [key: "begun"]
    /// In the header of the record that says that the handler is done.
    private static let done = [key: "done"]

    /// Nil for a store without a model, or in memory. A copy of a shared log first gets what it lacks, so that the
    /// answer is that of the log itself.
    package init?(_ place: StoreOpening.Place) throws {
        guard let directory = place.logDirectory else { return nil }
        if case .copy(let path, let address) = place {
            if try !SegmentLog.exists(directory: directory) { try StoreOpening.refuseForeignFile(path) }
            try SharedCopy.open(of: Upstream(address), directory: directory, date: SystemClock.now()).close()
        }
        guard try SegmentLog.exists(directory: directory) else { return nil }
        let log = try SegmentLog.open(directory: directory, forWriting: false)
        defer { log.close() }
        guard let (sequence, recorded) = try log.currentModel else { return nil }
        checksum = try NSManagedObjectModel.load(document: recorded.document, name: directory).model.versionChecksum
        isUnfinished = try Self.isUnfinished(log, migration: sequence)
    }

    private static func isUnfinished(_ log: SegmentLog, migration sequence: SequenceNumber) throws -> Bool {
        // Of a record that was cut off nothing is pending: the store has been used since.
        guard sequence > log.baseline else { return false }
        let reader = try log.records(after: SequenceNumber(sequence.rawValue - 1))
        guard try reader.next()?.header.metadata[key] == begun[key] else { return false }
        while let record = try reader.next() {
            if record.header.metadata[key] == done[key] { return false }
        }
        return true
    }

    /// Writes that the handler is done.
    package static func finish(_ engine: StoreEngine) throws {
        var header = TransactionHeader.ofProcess(date: SystemClock.now())
        header.metadata = done
        _ = try engine.reserveKeys(header, counts: [:])
    }
}
