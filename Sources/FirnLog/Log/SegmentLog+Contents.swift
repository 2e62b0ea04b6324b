extension SegmentLog {
    /// Looks at the folder again: another process may have cut off the beginning. `baseline` and `first` are right
    /// then.
    public func refreshBeginning() throws(LogError) {
        let contents = try LogContents(of: directory, fileSystem)
        stateLock.lock()
        defer { stateLock.unlock() }
        guard !contents.starts.isEmpty else { return }
        segmentStarts = contents.starts.filter { $0 <= tail.segment.firstSequence }
        if segmentStarts.isEmpty { segmentStarts = [contents.starts[0]] }
        baselineSequence = contents.baseline
    }

    /// Removes files that are not active. Call with the writer's lock held. A file that cannot be removed stays for the
    /// next call.
    func removeLeftovers() {
        guard let contents = try? LogContents(of: directory, fileSystem) else { return }
        try? removeUnusedDictionaries(contents)
        if contents.leftovers.isEmpty { return }
        for name in contents.leftovers { try? fileSystem.remove(directory + "/" + name) }
        try? fileSystem.syncDirectory(directory)
    }
}
