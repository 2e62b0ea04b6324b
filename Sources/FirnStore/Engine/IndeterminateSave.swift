import FirnLog

/// A save to a shared log whose outcome is unknown: no answer came. The context still has its changes. If the save
/// turns out to have been made, saving them again would make them twice; so that is refused until the context has
/// dropped them.
package struct IndeterminateSave {
    package let storeIdentifier: String
    /// The number of its record, if it was made.
    let sequence: SequenceNumber
    /// Tells its record from any other's.
    let link: ChainValue

    /// The save that failed with `error`; nil if its outcome is known.
    package init?(_ error: any Error, storeIdentifier: String) {
        guard let error = error as? LogError, error.code == .outcomeUnknown, let sequence = error.sequence,
            let link = error.link
        else { return nil }
        self.storeIdentifier = storeIdentifier
        self.sequence = sequence
        self.link = link
    }

    /// What to do about a save without an answer, for the caller of `save()`.
    package static func advising(_ error: any Error) -> any Error {
        guard var error = error as? LogError, error.code == .outcomeUnknown else { return error }
        error.message +=
            " The context keeps its changes. Save it again later: if they were saved after all, that fails with "
            + "appendedAfterAll, and nothing is saved twice."
        return error
    }

    /// Throws if one of the saves was made after all. Drops those of which another record has the place: they never
    /// will be. The caller holds the writer's lock.
    package static func check(
        _ saves: inout [IndeterminateSave], of storeIdentifier: String, path: String, _ session: WriteSession
    ) throws {
        for save in saves where save.storeIdentifier == storeIdentifier {
            switch try session.holds(save.link, at: save.sequence) {
            case true:
                throw LogError(
                    .appendedAfterAll,
                    "The save that got no answer had been made, as record \(save.sequence), and the context still has "
                        + "its changes: reset it or roll it back, and fetch what is there now.",
                    path: path, sequence: save.sequence)
            case false: saves.removeAll { $0.link == save.link }
            default: break
            }
        }
    }
}
