package import FirnLog

/// The outcome of an append to a shared log that was not answered.
package enum UnknownAppend {
    /// It is in the log, and this machine has it, as this record.
    case made(SequenceNumber)
    /// Another record has its place, so it never will be.
    case neverMade
    /// Nobody can tell yet.
    case unknown
}

extension StoreEngine {
    /// Asks the shared log for an append that got no answer.
    package func resolve(_ error: LogError) -> UnknownAppend {
        guard let sequence = error.sequence, let link = error.link else { return .unknown }
        switch try? exclusively({ _ in try log.holds(link, at: sequence, ignoresPause: true) }) {
        case true?: return .made(sequence)
        case false?: return .neverMade
        default: return .unknown
        }
    }
}
