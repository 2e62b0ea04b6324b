package import FirnLog
package import FirnModel
import FirnProjection
import FirnStore
package import Foundation

/// What a store's files hold.
package enum StoredTables {
    /// The tables on disk and those that the log gives, as text.
    package static func dumps(_ url: URL) throws -> (present: String, rebuilt: String) {
        try withLog(url) { log, present, other in
            try other.rebuild(from: log)
            return (try present.dump(), try other.dump())
        }
    }

    /// Whether the sum of the hashes on disk is the one that the log gives.
    package static func hasSum(_ url: URL) throws -> Bool? {
        try withLog(url) { log, present, other in
            try present.hasSum(through: present.checkpoint, in: other) { _ = try LogMaintenance(log).verify(each: $0) }
        }
    }

    /// Calls `body` with a store's log, its tables on disk, and other ones in memory.
    private static func withLog<R>(_ url: URL, _ body: (SegmentLog, Projection, Projection) throws -> R) throws -> R {
        OpenProjectors.catchUp()
        let log = try SegmentLog.open(directory: url.path + "-log", forWriting: false)
        defer { log.close() }
        let current = try log.currentModel!
        let schema = try StoreSchema(current.model, name: "the log")
        func open(_ location: ProjectionLocation, readOnly: Bool) throws -> Projection {
            try Projection.open(
                location, schema: schema, storeID: log.storeID.uuidString, modelSequence: current.sequence,
                head: log.head, readOnly: readOnly).0
        }
        return try body(log, open(.file(url.path), readOnly: true), open(.memory, readOnly: false))
    }

    package static func head(_ url: URL) throws -> SequenceNumber {
        let log = try SegmentLog.open(directory: url.path + "-log", forWriting: false)
        defer { log.close() }
        return log.head
    }

    /// The model that the log says is in force.
    package static func model(_ url: URL) throws -> NSManagedObjectModel {
        let log = try SegmentLog.open(directory: url.path + "-log", forWriting: false)
        defer { log.close() }
        return try NSManagedObjectModel.load(document: log.currentModel!.model.document, name: "the log").model
    }

    /// What the last migration decided, as its record's header says.
    package static func migrationNotes(_ url: URL) throws -> String? {
        let log = try SegmentLog.open(directory: url.path + "-log", forWriting: false)
        defer { log.close() }
        guard let (sequence, _) = try log.currentModel else { return nil }
        return try log.records(after: SequenceNumber(sequence.rawValue - 1)).next()?.header.metadata["migrationNotes"]
    }
}
