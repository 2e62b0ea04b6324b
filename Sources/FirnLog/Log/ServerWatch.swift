/// A watch over a log on a server, which reports what it sees of the server while it waits.
public protocol ServerWatch: LogWatch {
    /// Blocks until `isEnough` returns true for what was seen; false if `cancel` was called.
    func wait(seeing isEnough: (ServerObservation) -> Bool) throws -> Bool
    /// Asks the server at once, instead of when it is time to. It may be called from any thread.
    func askNow()
}

/// An observation of a server by a watch.
public enum ServerObservation: Sendable {
    /// The log ends with this record now.
    case end(LogCheckpoint)
    /// The server sent word that the log has this record.
    case notified(SequenceNumber)
    /// No connection could be made.
    case failure(LogError)
}

extension ServerWatch {
    public func wait(until isNews: (SequenceNumber) -> Bool) throws -> Bool {
        try wait { observation in
            switch observation {
            case .end(let end): isNews(end.sequence)
            case .notified(let sequence): isNews(sequence)
            case .failure: false
            }
        }
    }
}
