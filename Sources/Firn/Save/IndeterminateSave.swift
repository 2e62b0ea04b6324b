import FirnStore
import FirnLog
import Foundation

/// A save to a shared log whose outcome is unknown: no answer came. The context still has its changes. If the save
/// turns out to have been made, saving them again would make them twice; so that is refused until the context has
/// dropped them.
struct IndeterminateSave {
    private let storeIdentifier: String
    /// The number of its record, if it was made.
    private let sequence: SequenceNumber
    /// Tells its record from any other's.
    private let link: ChainValue

    /// Remembers a save that failed with an unknown outcome.
    static func record(
        _ error: any Error, _ context: NSManagedObjectContext, _ store: NSPersistentStore
    ) {
        guard let error = error as? LogError, error.code == .outcomeUnknown, let sequence = error.sequence,
            let link = error.link
        else { return }
        context.indeterminateSaves.append(
            IndeterminateSave(storeIdentifier: store.identifier, sequence: sequence, link: link))
    }

    /// What to do about a save without an answer, for the caller of `save()`.
    static func advising(_ error: any Error) -> any Error {
        guard var error = error as? LogError, error.code == .outcomeUnknown else { return error }
        error.message +=
            " The context keeps its changes. Save it again later: if they were saved after all, that fails with "
            + "appendedAfterAll, and nothing is saved twice."
        return error
    }

    /// Throws if what is unsaved in the context was saved after all. The caller holds the writer's lock.
    static func check(
        _ context: NSManagedObjectContext, _ store: NSPersistentStore, _ session: WriteSession
    ) throws {
        for save in context.indeterminateSaves where save.storeIdentifier == store.identifier {
            switch try session.holds(save.link, at: save.sequence) {
            case true:
                throw LogError(
                    .appendedAfterAll,
                    "The save that got no answer had been made, as record \(save.sequence), and the context still has "
                        + "its changes: reset it or roll it back, and fetch what is there now.",
                    path: store.placeName, sequence: save.sequence)
            // Another record has the place, so this one never will.
            case false: context.indeterminateSaves.removeAll { $0.link == save.link }
            default: break
            }
        }
    }
}
