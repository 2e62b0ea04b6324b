/// The way of other machines' records into a copy.
extension SharedCopy {
    private static let pieceSize = 4 << 20

    /// Fetches all records that the shared log has and this copy lacks. Returns where both end then.
    ///
    /// - Parameter progress: called with the last record here after each step.
    @discardableResult
    public func pullUpstream(progress: (SequenceNumber) throws -> Void = { _ in }) throws -> LogCheckpoint {
        let end = try upstream.perform(storeID) { shared in
            try explainingDivergence(from: shared) {
                try retryingAfterTrim(from: shared) {
                    try pull(from: shared, sizeMax: Self.pieceSize, progress: progress)
                }
            }
        }
        upstream.recordHead(end.sequence)
        return end
    }

    /// Runs `body`; again with the shared log's baseline, if the records that follow were cut off there.
    private func retryingAfterTrim<R>(from shared: any ChangeLog, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as LogError where error.code == .missing {
            guard try head < shared.beginning().sequence else { throw error }
            try exclusively { try rebuildAfterTrim(from: shared) }
            return try body()
        }
    }

    /// Replaces this copy's attachment by the shared log's.
    public func pullAttachment() throws {
        guard let bytes = try upstream.perform(storeID, { try $0.attachment() }) else { return }
        if try attachment() != bytes {
            try Self.store(attachment: bytes, directory: directory, fileSystem: fileSystem)
        }
    }

    /// As `fetchRecords`, after the shared log answered that it does not end where this one ends. Throws `diverged` if
    /// there is nothing to fetch because it lacks records of this copy: retrying would never end.
    func fetchRecordsOrThrow(from log: any ChangeLog, through last: SequenceNumber) throws {
        let start = known
        try fetchRecords(from: log, through: last)
        if known.link == start.link, let divergence = try divergence(from: log) { throw divergence }
    }

    /// Appends the records that the shared log has after this copy's end. Call with the writer's lock held.
    ///
    /// - Parameter last: where to stop asking for more.
    func fetchRecords(from log: any ChangeLog, through last: SequenceNumber = SequenceNumber(.max)) throws {
        try explainingDivergence(from: log) { try fetchFrames(from: log, through: last) }
    }

    private func fetchFrames(from log: any ChangeLog, through last: SequenceNumber) throws {
        while known.sequence < last {
            let run: FrameRun
            do { run = try log.frames(after: known, sizeMax: Self.pieceSize) } catch let error as LogError
                where error.code == .missing
            {
                guard try head < log.beginning().sequence else { throw error }
                try rebuildAfterTrim(from: log)
                continue
            }
            if run.isEmpty { return }
            try copyValues(log.externalReferences(in: run), from: log)
            for frame in run.frames {
                try recordPendingErasure(frame, of: run)
                try append(frame, of: run)
            }
            upstream.recordHead(run.end.sequence)
        }
    }

    /// Runs `body`. Where that finds that the logs have parted, the error says where and what to do.
    func explainingDivergence<R>(from shared: any ChangeLog, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as LogError where error.code == .diverged {
            throw (try? divergence(from: shared)) ?? error
        }
    }

    /// Why the logs have parted; nil if they have not.
    private func divergence(from shared: any ChangeLog) throws -> LogError? {
        let end = try shared.end()
        upstream.recordEnd(end)
        return try divergence(from: shared, endingAt: end)
    }
}

extension SharedCopy {
    /// Something that waits for records of other machines. The server is asked by the watch from now on: after a
    /// failure nobody else tries until the server answered the watch.
    public func watchUpstream() throws -> any LogWatch {
        upstream.beginWatching()
        let watch = try upstream.perform(storeID, asksServer: false) { try $0.watch() }
        upstream.watch(with: watch as? any ServerWatch)
        return watch
    }

    /// Blocks until the shared log has to be asked: it has records that are not here, lacks some that are, or answers
    /// again. False if the watch was cancelled.
    public func wait(with watch: any LogWatch) throws -> Bool {
        guard let watch = watch as? any ServerWatch else { return try watch.wait { !expects($0) } }
        do {
            return try watch.wait { observation in
                switch observation {
                case .notified(let sequence): return !expects(sequence)
                case .end(let end):
                    upstream.recordEnd(end)
                    return !expects(end.sequence) || lacks(end) || upstream.isUnreachable
                case .failure(let error):
                    upstream.recordProblem(error)
                    return false
                }
            }
        } catch let error as LogError {
            upstream.recordProblem(error)
            throw error
        }
    }

    /// Whether a log that ends there lacks records of this one. An end that was seen a moment ago may be an old one.
    private func lacks(_ end: LogCheckpoint) -> Bool {
        let known = known
        return end.sequence < known.sequence || end.sequence == known.sequence && end.link != known.link
    }
}
