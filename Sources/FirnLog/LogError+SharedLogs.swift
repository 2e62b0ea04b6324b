/// Failures of logs that are shared by several machines, and of their copies.
extension LogError.Code {
    /// Two logs, or a log and what was read of it, hold different records under the same number.
    public static let diverged = Self("diverged")
    /// No answer said whether the frames were appended: append the same run again.
    public static let outcomeUnknown = Self("outcomeUnknown")
    /// Another machine appended first; nothing was appended, and its records are here now.
    public static let overtaken = Self("overtaken")
    /// The append whose outcome was unknown had been made.
    public static let appendedAfterAll = Self("appendedAfterAll")
    /// The server did not answer, or the connection was lost.
    public static let unreachable = Self("unreachable")
    /// The server refused a statement.
    public static let refused = Self("refused")
}

extension LogError {
    /// Sets the record and the link that the error is about.
    mutating func refer(to end: LogCheckpoint) { (sequence, link) = (end.sequence, end.link) }

    static func diverged(_ place: String, at checkpoint: LogCheckpoint, found: String) -> LogError {
        LogError(
            .diverged,
            "The log does not have records that were read from it: go back to the last record that both have, and "
                + "rebuild what was made from later ones.",
            path: place, sequence: checkpoint.sequence, expected: "\(checkpoint.link)", found: found)
    }

    /// A baseline must not have what was taken out of the log while it was made.
    package static func erasedMeanwhile(_ place: String) -> LogError {
        LogError(.overtaken, "Values were erased meanwhile; nothing was cut off. Trim again.", path: place)
    }

    static func otherStore(_ place: String, expected: StoreID, found: StoreID) -> LogError {
        LogError(
            .storeMismatch, "This is the log of another store; nothing was written.", path: place,
            expected: expected.uuidString, found: found.uuidString)
    }
}
