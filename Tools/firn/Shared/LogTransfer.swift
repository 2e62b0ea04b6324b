import FirnInspection
import FirnLog

/// Brings one log up to another.
struct LogTransfer {
    let source: any ChangeLog
    let target: any ChangeLog
    /// The last record to copy; nil for all.
    var last: SequenceNumber?

    /// Appends what the target does not have, and what the application says of the store; returns how many records were
    /// appended, and where both end then.
    func run() throws -> (count: UInt64, end: LogCheckpoint) {
        let start = try target.end()
        let total = min(try source.end().sequence, last ?? SequenceNumber(.max)).rawValue
        var progress = Progress("record")
        let end = try target.pull(from: source, through: last) { progress.update($0.rawValue, of: total) }
        progress.finish()
        if let attachment = try source.attachment(), try target.attachment() != attachment {
            try target.store(attachment: attachment)
        }
        // The link stands for every record up to there.
        let there = try target.end()
        guard there.sequence > end.sequence || there == end else {
            throw Failure("\(target.place): it does not end as it should; remove it, copy again", status: .damage)
        }
        return (end.sequence.rawValue - min(start.sequence, end.sequence).rawValue, end)
    }
}
