import FirnLog
import FirnProjection
import Foundation
import Synchronization
import TestSupport

/// What a migration that makes new tables has done, seen by the calls of the file system that its log is on.
enum MigrationMoment {
    /// The new tables are ready in a second file; the record is about to be written.
    case prepared
    /// The record is durable.
    case recorded
    /// The new tables are in place: the migration has ended.
    case placed

    /// Calls `body` at this moment of the migration of the store at `path`. What it throws, the file system throws,
    /// except after the fact.
    func listener(
        of path: String, _ body: @escaping @Sendable () throws(FileError) -> Void
    ) -> HeardFileSystem.Listener {
        let observer = Observer(newTables: MigratedProjection.sidePath(path))
        return { (call, _) throws(FileError) in
            if observer.moment(of: call) == self { try body() }
        }
    }

    private final class Observer: Sendable {
        private let newTables: String
        private let isRecorded = Mutex(false)

        init(newTables: String) { self.newTables = newTables }

        func moment(of call: HeardFileSystem.Call) -> MigrationMoment? {
            let isPrepared = FileManager.default.fileExists(atPath: newTables)
            switch call {
            case .write where isPrepared: return .prepared
            case .synced where isPrepared:
                isRecorded.withLock { $0 = true }
                return .recorded
            case .releasedLock where isRecorded.withLock { $0 }: return .placed
            default: return nil
            }
        }
    }
}
