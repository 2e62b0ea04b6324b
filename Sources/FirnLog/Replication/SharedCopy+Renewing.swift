/// Copies of a shared log follow what changes it other than by appending.
///
///     erased    the copy fetches the frames that an erasure names again, without the values, and replaces its own
///     trimmed   a copy that ends before the shared log begins continues with its baseline
extension SharedCopy {
    private static let pieceSize = 4 << 20

    /// Erases from this copy what was erased from the shared log. It may be interrupted anywhere and run again. Call
    /// `LogMaintenance.finishErasure` once nothing that was made from the copy has the values any more.
    ///
    /// - Returns: the record up to which it knows of erasures.
    public func followErasures() throws -> SequenceNumber {
        let known = try withTrimLock(waiting: true) {
            let known = try refresh()
            // See `LogMaintenance.erase`.
            try exclusively { try removeLeftovers() }
            try refreshBeginning()
            // Records that only this copy still has may contain the values: the erasure did not search them.
            try upstream.perform(storeID) { try beginLater(with: $0) }
            let erasures = try erasures()
            var named: [SequenceNumber: ChainValue] = [:]
            for erasure in erasures {
                for replaced in erasure.replaced where replaced.sequence >= first {
                    named[replaced.sequence] = replaced.digest
                }
            }
            let stale = try named.filter { sequence, digest in
                try withFrame(at: sequence) { frame, _ throws(LogError) in frame.redaction?.replacement != digest }
            }
            if let last = stale.keys.max() {
                try exclusively { try rollAt(last) }
                try upstream.perform(storeID) { try replace(stale, from: $0) }
            }
            for erasure in erasures where erasure.replaced.isEmpty {
                var eraser = LogEraser(self, erasure)
                if baseline > .zero, !erasure.slots.isEmpty { try eraser.findObject() }
                try eraser.rewriteBaseline()
            }
            try exclusively {
                try removeLeftovers()
                try LogMaintenance(self).removeUnfinished()
            }
            return known
        }
        invalidateLookups()
        return known
    }

    /// Cuts off what the shared log does not have any more, with its baseline.
    private func beginLater(with shared: any ChangeLog) throws {
        let beginning = try shared.beginning().sequence
        guard beginning > baseline, beginning <= head else { return }
        try Self.copyBaseline(of: beginning, from: shared, to: directory, fileSystem)
        try copyExternalValues(from: shared)
        try exclusively { try activate(beginning) }
    }

    /// The erasures in the log's records.
    private func erasures() throws -> [Erasure] {
        let reader = try records(after: baseline)
        var found: [SequenceNumber] = []
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .erasure { found.append(frame.sequence) }
        }
        return try found.compactMap { sequence in
            if case .erasure(let erasure) = try record(at: sequence).body { erasure } else { nil }
        }
    }

    /// Rewrites the segments of these records with the frames that the shared log has of them now.
    private func replace(_ stale: [SequenceNumber: ChainValue], from shared: any ChangeLog) throws {
        var run: FrameRun?
        let starts = stateLock.withLock { contents.starts }
        for (index, start) in starts.enumerated() where index + 1 < starts.count {
            let end = starts[index + 1]
            guard stale.keys.contains(where: { $0 >= start && $0 < end }) else { continue }
            let segment = try openSegment(start)
            var known = LogCheckpoint(
                storeID: storeID, sequence: SequenceNumber(start.rawValue - 1), date: segment.header.previousDate,
                link: segment.header.chain)
            let dictionary = try isNeeded(segment, without: stale) ? segment.header.dictionary : nil
            try SegmentRewriting(self).rewrite(segment, before: end, dictionary: dictionary) { frame in
                defer { known = known.after(frame) }
                guard let digest = stale[frame.header.sequence] else { return nil }
                if run?.holds(frame.header.sequence) != true {
                    run = try shared.frames(after: known, sizeMax: Self.pieceSize)
                }
                return try run?.bytes(of: frame.header.sequence, digest: digest, place: shared.place)
            }
        }
    }

    /// Whether a frame that stays is compressed with the segment's dictionary.
    private func isNeeded(_ segment: Segment, without stale: [SequenceNumber: ChainValue]) throws -> Bool {
        guard segment.dictionary != nil else { return false }
        var cursor = SegmentCursor(segment)
        while let frame = try LogEraser.next(&cursor) {
            if frame.header.flags.contains(.dictionary), stale[frame.header.sequence] == nil { return true }
        }
        return false
    }

    /// Continues with the shared log's baseline, because the shared log was trimmed past this copy's end. Call with the
    /// writer's lock held.
    func rebuildAfterTrim(from shared: any ChangeLog) throws {
        try withTrimLock {
            let beginning = try shared.beginning()
            guard try refresh() < beginning.sequence else { return }
            try Self.copyBaseline(of: beginning.sequence, from: shared, to: directory, fileSystem)
            try copyExternalValues(from: shared)
            try continueWithBaseline(after: beginning.sequence)
        }
        invalidateLookups()
    }

    private func continueWithBaseline(after last: SequenceNumber) throws {
        let header = try openBaseline(last).header
        try stateLock.withLock {
            // A segment without room at its end is one that others look behind.
            try attempt { () throws(FileError) in
                try tail.segment.file.truncate(tail.offset)
                try tail.segment.file.sync()
            }
            tail.capacity = tail.offset
            _ = try attempt { () throws(FileError) in
                try Segment.create(header, in: directory, size: options.fileSize(), fileSystem: fileSystem)
            }
            _ = try advance()
        }
        try? removeLeftovers()
        try refreshBeginning()
    }
}

extension LogCheckpoint {
    fileprivate func after(_ frame: Frame) -> LogCheckpoint {
        LogCheckpoint(storeID: storeID, sequence: frame.header.sequence, date: frame.header.date, link: frame.link)
    }
}

extension FrameRun {
    fileprivate func holds(_ sequence: SequenceNumber) -> Bool {
        sequence > start.sequence && sequence <= end.sequence
    }

    /// The bytes of a redacted frame. Throws if the frame is not the one that an erasure named.
    fileprivate func bytes(of sequence: SequenceNumber, digest: ChainValue, place: String) throws -> [UInt8]? {
        guard let frame = frames.first(where: { $0.sequence == sequence }) else { return nil }
        let redaction = bytes[frame.range].withUnsafeBytes { bytes in
            frame.header.flags.contains(.redacted)
                ? Redaction(UnsafeRawBufferPointer(rebasing: bytes[Format.frameHeaderSize...])) : nil
        }
        guard redaction?.replacement == digest else {
            throw LogError(
                .missing, "What was erased is still in the shared log; open the store again later.", path: place,
                sequence: sequence, expected: "\(digest)", found: redaction.map { "\($0.replacement)" } ?? "the values")
        }
        return Array(bytes[frame.range])
    }
}
