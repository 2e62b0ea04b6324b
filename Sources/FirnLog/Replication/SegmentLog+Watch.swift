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
