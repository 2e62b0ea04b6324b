/// Texts or blobs of one column.
///
///     constant    one run: every value
///     plain       the lengths as integers, then all bytes
///     dictionary  the number of entries; the entries as plain; the entry's index of each value as integers
///     edit        each value against the new one of the same row: how many bytes at the beginning are the same,
///                 how many at the end (both as integers), and what stands between them as plain
package enum RunsEncoding: UInt8, CaseIterable {
    case constant = 1
    case plain = 2
    case dictionary = 3
    case edit = 4
}

/// An encoding with what it has to know.
enum RunsPlan {
    case constant
    case plain
    case dictionary(RunsDictionary)
    case edit(RunsEdit)

    var encoding: RunsEncoding {
        switch self {
        case .constant: .constant
        case .plain: .plain
        case .dictionary: .dictionary
        case .edit: .edit
        }
    }
}

extension PayloadWriter {
    /// A dictionary is tried from this many values on. The second is the most entries that it may have.
    private static let dictionaryValuesMin = 8
    private static let dictionaryEntriesMax = 256

    mutating func chooseEncoding(_ runs: ByteRuns, against new: ByteRuns?) -> RunsPlan {
        let isAffordable = spend(runs.count * 8 + runs.bytes.count)
        if runs.count == 0 { return .plain }
        guard isAffordable else { return runs.count == 1 ? .constant : .plain }
        if let new, new.count == runs.count, let edit = RunsEdit(runs, against: new) {
            return .edit(edit)
        }
        if runs.isConstant { return .constant }
        let dictionary = RunsDictionary(
            runs, valuesMin: Self.dictionaryValuesMin, entriesMax: Self.dictionaryEntriesMax)
        return dictionary.map { .dictionary($0) } ?? .plain
    }

    mutating func runs(_ runs: ByteRuns, as plan: RunsPlan) {
        switch plan {
        case .constant: runs.withBytes(at: 0) { out.run($0) }
        case .plain: plain(runs)
        case .dictionary(let dictionary):
            out.varint(dictionary.rows.count)
            plain(dictionary.rows.map(runs.range), of: runs)
            integers(dictionary.indexes)
        case .edit(let edit):
            integers(edit.prefixes)
            integers(edit.suffixes)
            plain((0..<runs.count).map { edit.middle(of: runs, $0) }, of: runs)
        }
    }

    /// Pieces of the bytes of all runs.
    private mutating func plain(_ pieces: [Range<Int>], of runs: ByteRuns) {
        integers(pieces.map { Int64($0.count) })
        runs.bytes.withUnsafeBytes { bytes in
            for piece in pieces {
                out.raw(UnsafeRawBufferPointer(rebasing: bytes[piece]))
                out.flush()
            }
        }
    }

    private mutating func plain(_ runs: ByteRuns) {
        var lengths: [Int64] = []
        lengths.reserveCapacity(runs.count)
        var start = 0
        for end in runs.ends {
            lengths.append(Int64(end - start))
            start = end
        }
        integers(lengths)
        runs.bytes.withUnsafeBytes { out.raw($0) }
    }
}

extension ByteReader {
    mutating func runs(
        count: Int, as encoding: RunsEncoding, against new: ByteRuns?
    ) throws(DecodeFailure) -> ByteRuns {
        switch encoding {
        case .constant:
            let run = try run()
            try spend(count, times: 8 + run.count)
            var runs = ByteRuns()
            runs.reserve(count: count, byteCount: count * run.count)
            for _ in 0..<count { runs.append(run) }
            return runs
        case .plain: return try plainRuns(count: count)
        case .dictionary:
            let entries = try plainRuns(count: try self.count(of: "entries"))
            return try expand(try integers(count: count), from: entries)
        case .edit:
            guard let new, new.count == count else { throw failure("an edit of nothing") }
            return try edit(new)
        }
    }

    private mutating func plainRuns(count: Int) throws(DecodeFailure) -> ByteRuns {
        var ends = try integers(count: count)
        var end: Int64 = 0
        for index in ends.indices {
            guard ends[index] >= 0, ends[index] <= Int64(left) - end else {
                throw failure("a run of \(ends[index]) bytes where \(Int64(left) - end) are left")
            }
            end += ends[index]
            ends[index] = end
        }
        return ByteRuns(ends: ends.map { Int($0) }, bytes: Array(try raw(Int(end))))
    }

    private mutating func expand(
        _ indexes: [Int64], from entries: ByteRuns
    ) throws(DecodeFailure) -> ByteRuns {
        var size = 0
        for index in indexes {
            guard index >= 0, index < entries.count else {
                throw failure("entry \(index) of \(entries.count)")
            }
            let length = entries.range(at: Int(index)).count
            try spend(length)
            size += length
        }
        var runs = ByteRuns()
        runs.reserve(count: indexes.count, byteCount: size)
        for index in indexes { entries.withBytes(at: Int(index)) { runs.append($0) } }
        return runs
    }

    private mutating func edit(_ new: ByteRuns) throws(DecodeFailure) -> ByteRuns {
        let prefixes = try integers(count: new.count)
        let suffixes = try integers(count: new.count)
        let middles = try plainRuns(count: new.count)
        var ends: [Int] = []
        ends.reserveCapacity(new.count)
        var size = 0
        for index in 0..<new.count {
            let whole = Int64(new.range(at: index).count)
            let (prefix, suffix) = (prefixes[index], suffixes[index])
            // Each on its own first: their sum may not fit 64 bits.
            guard prefix >= 0, suffix >= 0, prefix <= whole, suffix <= whole - prefix else {
                throw failure("an edit that keeps more than there is")
            }
            try spend(Int(prefix + suffix))
            size += Int(prefix + suffix) + middles.range(at: index).count
            ends.append(size)
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { target, count in
            let target = UnsafeMutableRawBufferPointer(target)
            func put(_ source: UnsafeRawBufferPointer, _ range: Range<Int>) {
                UnsafeMutableRawBufferPointer(rebasing: target[count..<count + range.count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
                count += range.count
            }
            new.bytes.withUnsafeBytes { whole in
                middles.bytes.withUnsafeBytes { middle in
                    for index in 0..<new.count {
                        let range = new.range(at: index)
                        put(whole, range.lowerBound..<range.lowerBound + Int(prefixes[index]))
                        put(middle, middles.range(at: index))
                        put(whole, range.upperBound - Int(suffixes[index])..<range.upperBound)
                    }
                }
            }
        }
        return ByteRuns(ends: ends, bytes: bytes)
    }
}
