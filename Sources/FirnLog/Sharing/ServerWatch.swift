/// A watch over a log on a server, which reports what it sees of the server while it waits.
public protocol ServerWatch: LogWatch {
    /// Blocks until `isEnough` returns true for what was seen; false if `cancel` was called.
    func wait(seeing isEnough: (ServerSighting) -> Bool) throws -> Bool
    /// Asks the server at once, instead of when it is time to. It may be called from any thread.
    func askNow()
}

/// What a watch saw of a server.
public enum ServerSighting: Sendable {
    /// The log ends with this record now.
    case end(LogCheckpoint)
    /// The server sent word that the log has this record.
    case notified(SequenceNumber)
    /// No connection could be made.
    case failure(LogError)
}

extension ServerWatch {
    public func wait(until isNews: (SequenceNumber) -> Bool) throws -> Bool {
        try wait { sighting in
            switch sighting {
            case .end(let end): isNews(end.sequence)
            case .notified(let sequence): isNews(sequence)
            case .failure: false
            }
        }
    }
}

extension SegmentLog {
    /// Something that waits for records of other machines; nil for a log that is no copy. Its server is asked by the
    /// watch from now on: after a failure nobody else tries until the server answered the watch.
    public func watchUpstream() throws -> (any LogWatch)? {
        guard let upstream else { return nil }
        upstream.beginWatching()
        let watch = try upstream.perform(storeID, asksServer: false) { try $0.watch() }
        upstream.watch(with: watch as? any ServerWatch)
        return watch
    }

    /// Blocks until the shared log has to be asked: it has records that are not here, lacks some that are, or answers
    /// again. False if the watch was cancelled.
    public func wait(with watch: any LogWatch) throws -> Bool {
        guard let upstream, let watch = watch as? any ServerWatch else { return try watch.wait { !expects($0) } }
        do {
            return try watch.wait { sighting in
                switch sighting {
                case .notified(let sequence): return !expects(sequence)
                case .end(let end):
                    upstream.saw(end)
                    return !expects(end.sequence) || lacks(end) || upstream.isAway
                case .failure(let error):
                    upstream.saw(error)
                    return false
                }
            }
        } catch let error as LogError {
            upstream.saw(error)
            throw error
        }
    }

    /// Whether a log that ends there lacks records of this one. An end that was seen a moment ago may be an old one.
    private func lacks(_ end: LogCheckpoint) -> Bool {
        let known = known
        return end.sequence < known.sequence || end.sequence == known.sequence && end.link != known.link
    }
}
