/// Ends the tries of something that another machine is said to have overtaken, although none of its records comes.
///
/// Each try that was really overtaken finds more records than the one before.
public struct StalledTries {
    /// Threads of one process overtake each other now and then without a record: more than a few times is an error.
    private static let countMax = 100

    private var link: ChainValue?
    private var count = 0

    public init() {}

    /// Counts a try. Throws `refused` if too many came to nothing.
    ///
    /// - Parameters:
    ///   - link: that of the last record that is known now.
    ///   - place: where the log is, for messages.
    public mutating func failed(at link: ChainValue, place: String) throws(LogError) {
        count = link == self.link ? count + 1 : 0
        self.link = link
        guard count < Self.countMax else {
            throw LogError(
                .refused,
                "The log says again and again that another writer was faster, and has no record of one. Nothing was "
                    + "appended.", path: place)
        }
    }
}
