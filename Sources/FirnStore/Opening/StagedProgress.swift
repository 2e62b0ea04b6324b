import FirnLog
import FirnModel
import Foundation

/// How far the staged migration of a store has come, as its log says.
package struct StagedProgress {
    /// The checksum of the store's model.
    package let checksum: String
    /// Whether the handler that follows a stage's migration has not come to its end.
    package let isUnfinished: Bool

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
        isUnfinished = try StagedMark.isPending(in: log, after: sequence)
    }

    /// Writes that the handler is done.
    package static func finish(_ engine: StoreEngine) throws {
        var header = TransactionHeader.ofProcess(date: SystemClock.now())
        header.metadata = StagedMark.done
        _ = try engine.reserveKeys(header, counts: [:])
    }
}
