/// The common parts of a column's values and the new ones of the same rows: the form `edit`.
struct RunsEdit {
    private(set) var prefixes: [Int64] = []
    private(set) var suffixes: [Int64] = []

    /// nil where too little is the same for it to be smaller.
    init?(_ runs: ByteRuns, against new: ByteRuns) {
        var saved = 0
        for row in 0..<runs.count {
            runs.withBytes(at: row) { old in
                new.withBytes(at: row) { new in
                    let most = min(old.count, new.count)
                    var prefix = 0
                    while prefix < most, old[prefix] == new[prefix] { prefix += 1 }
                    var suffix = 0
                    while suffix < most - prefix,
                        old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
                    { suffix += 1 }
                    saved += prefix + suffix
                    prefixes.append(Int64(prefix))
                    suffixes.append(Int64(suffix))
                }
            }
        }
        // Two more numbers a row, and the bytes that name their encodings.
        if saved <= 4 + 2 * runs.count { return nil }
    }

    /// The range of a row's own bytes, among the bytes of all.
    func middle(of runs: ByteRuns, _ row: Int) -> Range<Int> {
        let range = runs.range(at: row)
        return range.lowerBound + Int(prefixes[row])..<range.upperBound - Int(suffixes[row])
    }
}

/// The distinct values of a column in the order in which they first come, and which one each row has.
struct RunsDictionary {
    /// The row in which each entry first comes: large values are not copied.
    private(set) var rows: [Int] = []
    private(set) var indexes: [Int64] = []

    /// nil where there are too many different values for it to be smaller.
    init?(_ runs: ByteRuns, valuesMin: Int, entriesMax: Int) {
        guard runs.count >= valuesMin else { return nil }
        // An open table at most a quarter full; 0 is free, otherwise the entry's index and one.
        let slotMask = entriesMax * 4 - 1
        var table = [UInt16](repeating: 0, count: slotMask + 1)
        indexes.reserveCapacity(runs.count)
        for row in 0..<runs.count {
            let index = runs.withBytes(at: row) { run -> Int? in
                var slot = Self.hash(run) & slotMask
                while table[slot] != 0 {
                    let index = Int(table[slot]) - 1
                    if runs.withBytes(at: rows[index], { $0.count == run.count && compareBytes($0, run) }) {
                        return index
                    }
                    slot = (slot + 1) & slotMask
                }
                // Given up early where almost every value is another one.
                if rows.count == entriesMax || rows.count > 16 + row / 2 { return nil }
                rows.append(row)
                table[slot] = UInt16(rows.count)
                return rows.count - 1
            }
            guard let index else { return nil }
            indexes.append(Int64(index))
        }
        if rows.count * 2 > runs.count { return nil }
    }

    /// How much of each end of a run is hashed: long runs that differ in the middle only are rare.
    private static let hashedSize = 32

    /// FNV-1a: the same in every process, so that the same change set has the same bytes everywhere.
    private static func hash(_ run: UnsafeRawBufferPointer) -> Int {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(run.count)
        for byte in run.prefix(hashedSize) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for byte in run.dropFirst(hashedSize).suffix(hashedSize) {
            value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return Int(truncatingIfNeeded: value ^ value >> 32)
    }
}
