internal import Foundation
package import FirnLog

/// The record in a log's folder of what its tables' file had when the store was last closed. The file never has less
/// again: one that does is an older copy, which somebody put in its place.
///
///     Library.sqlite-log/tables     the number of the folder on its disk, then the tables' last record
///
/// A folder that was copied has another number, and says nothing of the file next to it: while programs save, the two
/// are not copied at the same moment.
package struct ClosedTables {
    private let folder: String
    private var path: String { folder + "/" + Format.tablesName }
    /// The folder's number when this was made: another folder may have taken its place since.
    private let identity: UInt64?

    package init(logDirectory: String) {
        folder = logDirectory
        identity = ProjectionFile.identity(logDirectory)
    }

    /// The tables' last record; nil if nothing is known.
    package var checkpoint: SequenceNumber? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let numbers = text.split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 2, numbers[0] == identity else { return nil }
        return SequenceNumber(numbers[1])
    }

    /// Stores that the closed file at `tables` has the records up to `checkpoint`, unless somebody has it open: then
    /// SQLite's write-ahead log has a part of it.
    package func record(_ checkpoint: SequenceNumber, of tables: String) {
        guard self.checkpoint != checkpoint, let identity, ProjectionFile.identity(folder) == identity,
            !ProjectionFile.hasWriteAheadLog(tables), (try? Projection.synchronize(tables)) != nil
        else { return }
        try? Data("\(identity) \(checkpoint.rawValue) ".utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Forgets it, if the tables have less: they were built again from a log that lost records with the power.
    package func discard(after checkpoint: SequenceNumber) {
        if let known = self.checkpoint, known > checkpoint { unlink(path) }
    }
}
