extension SegmentLog {
    /// The values that are kept in files of their own.
    public var externalValues: ExternalValues {
        // A copy's records are fetched again after a loss of power; its values are not, so they are synced.
        ExternalValues(
            logDirectory: directory, fileSystem: fileSystem, durability: isCopy ? .synced : options.durability)
    }
}
