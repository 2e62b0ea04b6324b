extension ChangeLog {
    /// Appends everything that `source` has after the end of this log, until there is no more, with the values that
    /// it keeps outside of the records, and returns where both are the same then. Frames keep their bytes, so that
    /// records, object IDs and the chain are the same in both.
    ///
    /// It may be interrupted anywhere and be called again: it continues after the last record here. It checks every
    /// frame when it is read, and that the frame is chained to the last record here.
    ///
    /// Throws `storeMismatch` if the logs are of two stores; `diverged` if this log has records that `source` does
    /// not have; `missing` if what this log needs next was cut off from `source`.
    ///
    /// - Parameters:
    ///   - last: the last record to append; by default there is no such limit.
    ///   - sizeMax: about how many bytes to append at a time.
    ///   - progress: called after each step with the last record here.
    @discardableResult
    public func pull(
        from source: any ChangeLog, through last: SequenceNumber? = nil, sizeMax: Int = 4 << 20,
        progress: (_ head: SequenceNumber) throws -> Void = { _ in }
    ) throws -> LogCheckpoint {
        guard source.storeID == storeID else {
            throw LogError.otherStore(source.place, expected: storeID, found: source.storeID)
        }
        var here = try end()
        // What it begins with may name values too.
        if here.sequence > .zero, try beginning() == here { try copyExternalValues(from: source) }
        var stalled = 0
        while true {
            var run = try source.frames(after: here, sizeMax: sizeMax)
            if let last { run = run.prefix(through: last) }
            if run.isEmpty { return here }
            let named = try source.externalReferences(in: run)
            try copyValues(named, from: source)
            switch try append(run) {
            case .appended, .duplicate: here = run.end
            case .conflict(let end):
                stalled = end.link == here.link ? stalled + 1 : 0
                if stalled > LogError.stalledMax { throw LogError.stalled(place) }
                here = end
            }
            // Somebody may have removed, as left over, what nothing named before.
            try copyValues(named, from: source)
            try progress(here.sequence)
        }
    }
}

extension LogError {
    /// How often in a row a log may say that another writer was faster, and have no record of one.
    static let stalledMax = 100

    static func stalled(_ place: String) -> LogError {
        LogError(
            .refused,
            "The log says again and again that another writer was faster, and has no record of one. Nothing was "
                + "appended.", path: place)
    }
}
