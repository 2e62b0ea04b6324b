/// A copy that has records which its shared log does not have, as after the server was set back to a backup.
extension SegmentLog {
    /// Says where the two logs part, what each side lacks and what to do; nil if the shared log holds this copy's last
    /// record, or cut it off.
    ///
    /// Complexity: O(log n) questions to the shared log, if they have parted.
    ///
    /// - Parameter end: the shared log's end.
    func divergence(from shared: any ChangeLog, endingAt end: LogCheckpoint) throws -> LogError? {
        let here = known
        let start = try shared.beginning()
        if here.sequence < start.sequence { return nil }
        if here.sequence <= end.sequence, try shared.agrees(with: here) { return nil }
        let low = max(start.sequence, baseline).rawValue
        let high = min(end.sequence, here.sequence).rawValue
        guard low <= high, try agrees(low, with: shared) else {
            return divergence(from: shared, common: nil, here: here.sequence, there: end.sequence)
        }
        // The first has agreed, the second has not, or is one after the last that could.
        var (common, other) = (low, high + 1)
        while common + 1 < other {
            let middle = common + (other - common) / 2
            if try agrees(middle, with: shared) { common = middle } else { other = middle }
        }
        return divergence(
            from: shared, common: SequenceNumber(common), here: here.sequence, there: end.sequence)
    }

    private func agrees(_ number: UInt64, with shared: any ChangeLog) throws -> Bool {
        let sequence = SequenceNumber(number)
        let link = sequence == baseline ? try beginning().link : try link(at: sequence)
        guard let link else { return false }
        return try shared.agrees(with: LogCheckpoint(storeID: storeID, sequence: sequence, date: 0, link: link))
    }

    private func divergence(
        from shared: any ChangeLog, common: SequenceNumber?, here: SequenceNumber, there: SequenceNumber
    ) -> LogError {
        func records(_ last: SequenceNumber) -> String? {
            let first = (common ?? .zero).next
            if last < first { return nil }
            return first == last ? "record \(first)" : "records \(first) to \(last)"
        }
        let known = common.map { sequence in
            sequence == .zero ? "Both have no record in common." : "The last record that both have is \(sequence)."
        }
        let lacking = [
            records(here).map { "The log lacks \($0) of the copy in \(directory)." },
            records(there).map { "The copy lacks \($0) of the log." },
        ]
        let sentences = [
            "The log and this machine's copy of it have different records.",
            known ?? "No record is known that both have.",
        ] + lacking.compactMap(\.self) + [
            "Nothing was changed. If the address leads to a server that was set back, or to a former primary, name the "
                + "right one. Otherwise export what only the copy has, remove the copy and its tables, and open the "
                + "store again."
        ]
        return LogError(.diverged, sentences.joined(separator: " "), path: shared.place, sequence: common)
    }
}

extension ChangeLog {
    /// Whether the log holds the record of `place` with its link, or was cut off right there.
    fileprivate func agrees(with place: LogCheckpoint) throws -> Bool {
        do {
            _ = try frames(after: place, sizeMax: 1)
            return true
        } catch let error as LogError where error.code == .diverged {
            return false
        }
    }
}
