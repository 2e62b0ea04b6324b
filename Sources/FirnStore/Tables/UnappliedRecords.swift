import FirnLog

/// Change sets of this program that are in the log, and not in the tables yet. In order; what others wrote between
/// them is missing.
struct UnappliedRecords {
    struct Entry {
        let sequence: SequenceNumber
        let link: ChainValue
        let changes: ChangeSet
        /// Its approximate size in memory, in bytes.
        let size: Int
    }

    private var entries: [Entry] = []
    /// The approximate size in memory, in bytes.
    private(set) var size = 0

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        size += entry.size
    }

    /// The records after `applied`; nil if there are none, or if they are not all records up to the last of them.
    func following(_ applied: SequenceNumber) -> ArraySlice<Entry>? {
        guard let last = entries.last, last.sequence > applied,
            let start = entries.firstIndex(where: { $0.sequence > applied }),
            entries[start].sequence == applied.next,
            last.sequence.rawValue - applied.rawValue == UInt64(entries.count - start)
        else { return nil }
        return entries[start...]
    }

    mutating func remove(through sequence: SequenceNumber) {
        let count = entries.prefix { $0.sequence <= sequence }.count
        for entry in entries[..<count] { size -= entry.size }
        entries.removeFirst(count)
    }
}
