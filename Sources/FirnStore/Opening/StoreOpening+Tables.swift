package import FirnLog
import FirnModel
package import FirnProjection
import FirnSQLite
import Foundation

/// The tables of a store that is being opened.
extension StoreOpening {
    /// Opens the tables, and says what must happen before they can be used.
    ///
    /// A store that is opened for reading in a folder where nothing can be written has what its log says all the same:
    /// where the tables that are there do not, others are made in a temporary file.
    func openProjection(
        _ log: SegmentLog, _ schema: StoreSchema, _ modelSequence: SequenceNumber
    ) throws -> (Projection, ProjectionState) {
        func open(_ location: ProjectionLocation, readOnly: Bool) throws -> (Projection, ProjectionState) {
            try Projection.open(
                location, schema: schema, storeID: log.storeID.uuidString, modelSequence: modelSequence,
                head: try log.refresh(), readOnly: readOnly, link: { try log.link(at: $0) })
        }
        guard let path = place.path else { return try open(.memory, readOnly: isReadOnly) }
        guard isReadOnly, !ProjectionFile.isFolderWritable(of: path) else {
            return try open(.file(path), readOnly: isReadOnly)
        }
        do {
            let (projection, state) = try open(.file(path), readOnly: true)
            switch state {
            case .ready, .mustRebuild(.damaged): return (projection, state)
            case .behind, .mustRebuild: break
            }
        } catch let error as SQLiteError where error.code == .cannotOpen || error.code == .readOnly {
            // The last writer did not close the tables, and SQLite would have to write to read the rest.
        }
        let (projection, _) = try open(.temporary, readOnly: false)
        try fill(projection, log)
        return (projection, .ready)
    }

    /// Builds tables that cannot be used as they are. The tables of a store that is opened for reading are left alone.
    package func rebuild(_ projection: Projection, _ log: SegmentLog, _ reason: RebuildReason) throws {
        guard !isReadOnly else {
            let path = place.path ?? "the store"
            throw CoreDataError.make(
                reason.isDamage ? .fileReadCorruptFile : .persistentStoreOpen,
                "the tables of \(path) must be rebuilt (\(reason)), which a read-only store cannot do: run "
                    + "“firn rebuild \(path)”, or open it for writing once",
                [NSFilePathErrorKey: path])
        }
        try log.exclusively { try fill(projection, log) }
    }

    private func fill(_ projection: Projection, _ log: SegmentLog) throws {
        let head = log.head
        try projection.rebuild(from: log, progress: { progress?(Double($0.rawValue) / Double(max(head.rawValue, 1))) })
    }

    /// Refuses a link that leads nowhere: its disk may not be there now, and no store is made in its place.
    static func refuseDanglingLink(_ path: String) throws {
        let manager = FileManager.default
        guard !manager.fileExists(atPath: path), let target = try? manager.destinationOfSymbolicLink(atPath: path)
        else { return }
        throw CoreDataError.make(
            .persistentStoreOpen,
            "\(path) is a link to \(target), which is not there: make that available, or remove the link",
            [NSFilePathErrorKey: path])
    }
}

extension RebuildReason {
    fileprivate var isDamage: Bool { if case .damaged = self { true } else { false } }
}
