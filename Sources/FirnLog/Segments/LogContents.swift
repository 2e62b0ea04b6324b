/// What a log's folder holds, and what of it is in force.
///
/// A baseline of record n counts once the segment of record n + 1 is there too. From then on everything before is
/// left over, whatever a crash spared, and whoever writes removes it:
///
///     1.segment  91.segment                                    the log
///     1.segment  91.segment  120.baseline                      the same
///     1.segment  91.segment  120.baseline  121.segment         records 121 … , after the baseline
struct LogContents: Hashable {
    /// The first record of each segment in force, ascending.
    var starts: [SequenceNumber]
    /// The last record that a baseline stands in for; zero if there is none.
    var baseline: SequenceNumber = .zero
    /// Names of files that are not in force.
    var leftovers: [String] = []
    /// Names of dictionaries, in use or not.
    var dictionaries: [String] = []

    init(names: [String]) {
        let all = names.compactMap { Format.firstSequence(ofSegmentNamed: $0) }.sorted()
        let baselines = names.compactMap { Format.lastSequence(ofBaselineNamed: $0) }.sorted()
        starts = all
        if let last = baselines.last(where: { all.contains($0.next) }) {
            baseline = last
            starts = all.filter { $0 > last }
            leftovers = all.filter { $0 <= last }.map(Format.segmentName)
        }
        dictionaries = names.filter(Format.isDictionary).sorted()
        leftovers += baselines.filter { $0 != baseline }.map(Format.baselineName)
    }

    init(of directory: String, _ fileSystem: any FileSystem) throws(LogError) {
        let names = try attempt { () throws(FileError) in try fileSystem.list(directory) }
        self.init(names: names)
    }
}

extension SegmentLog {
    /// Looks at the folder again: another process may have cut off the beginning. `baseline` and `first` are right
    /// then.
    public func refreshBeginning() throws(LogError) {
        let contents = try LogContents(of: directory, fileSystem)
        monitor.enter()
        defer { monitor.leave() }
        guard !contents.starts.isEmpty else { return }
        segmentStarts = contents.starts.filter { $0 <= tail.segment.firstSequence }
        if segmentStarts.isEmpty { segmentStarts = [contents.starts[0]] }
        baselineSequence = contents.baseline
    }

    /// Removes what is not in force. To be called with the writer's lock held; what cannot be removed stays for the
    /// next.
    func removeLeftovers() {
        guard let contents = try? LogContents(of: directory, fileSystem) else { return }
        try? removeUnusedDictionaries(contents)
        if contents.leftovers.isEmpty { return }
        for name in contents.leftovers { try? fileSystem.remove(directory + "/" + name) }
        try? fileSystem.syncDirectory(directory)
    }
}
