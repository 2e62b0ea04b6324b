package import FirnLog

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

    /// Adds advice to the error of a save without an answer, for the caller of `save()`.
    package static func advising(_ error: any Error) -> any Error {
        guard var error = error as? LogError, error.code == .outcomeUnknown, error.link != nil else { return error }
        error.message +=
            " The context keeps its changes. Save it again later: if they were saved after all, that fails with "
            + "appendedAfterAll, and nothing is saved twice."
        return error
    }

    /// Whether its record, or another one in its place, is at or before `last`: then it is known what became of it.
    package func isDecided(by last: SequenceNumber, of storeIdentifier: String) -> Bool {
        self.storeIdentifier == storeIdentifier && sequence <= last
    }

    /// Throws if the save was made after all. The caller holds the writer's lock.
    func check(_ isHeld: (ChainValue, SequenceNumber) throws -> Bool?, path: String) throws {
        guard try isHeld(link, sequence) == true else { return }
        throw LogError(
            .appendedAfterAll,
            "The save that got no answer had been made, as record \(sequence), and the context still has its changes: "
                + "reset it or roll it back, and fetch what is there now.",
            path: path, sequence: sequence)
    }
}

extension StoreEngine {
    /// Throws if one of the saves was made after all: then what the context still has would be in conflict with it.
    package func check(_ saves: [IndeterminateSave]) throws {
        if saves.isEmpty { return }
        try exclusively { _ in for save in saves { try save.check({ try log.holds($0, at: $1) }, path: place) } }
    }

    /// Where the log is, for messages.
    var place: String { copy?.upstream.place ?? log.place }
}
