import FirnStore
import FirnLog
public import Foundation

/// What this machine knows of the shared log of a store.
public struct SharedLogState: Sendable {
    /// Where the log is, without passwords.
    public let place: String
    /// The last record that this machine has, and that its fetches and its history know of.
    public let head: UInt64
    /// The last record that the log was seen to have. It is before `head` if the log was set back, of which `problem`
    /// tells with the code `diverged`.
    public let knownHead: UInt64
    /// When the log last answered; nil if it has not since the store was opened.
    public let lastContact: Date?
    /// Why saving fails: the server is away, refuses, or has other records. Nil while it answers. A store that is
    /// followed notices by itself, within moments, also in a process that only reads.
    public let problem: (any Error)?
}

extension URL {
    /// The URL of a store by its address as a text, which may name several hosts and ports:
    /// `postgresql://ada@db1:5432,db2:5432/library#Notes`. Nil if nothing in this program opens such addresses
    /// (`PostgresLog.register()`). Ours, not Apple's.
    public init?(sharedLog address: String) {
        guard let text = SharedLogs.url(of: address) else { return nil }
        self.init(string: text)
    }
}

extension NSPersistentStore {
    /// What this machine knows of the store's shared log, without asking anybody; nil for a store that has none. While
    /// the server is away, fetches show the state after `head`, and saves fail. Ours, not Apple's.
    public var sharedLogState: SharedLogState? {
        guard let log = backend?.engine?.log, let upstream = log.upstream else { return nil }
        let state = upstream.currentState
        // What was seen a moment ago may be older than what was saved since.
        let isSetBack = state.problem?.code == .diverged
        return SharedLogState(
            place: upstream.place, head: log.head.rawValue,
            knownHead: (isSetBack ? state.head : max(state.head, log.head)).rawValue,
            lastContact: state.lastContact.map { Date(timeIntervalSince1970: Double($0) / 1_000_000) },
            problem: state.problem)
    }
}

extension LoggedStore {
    /// Where this machine's copy is; nil unless the store is at a server's URL.
    var localCopy: URL? {
        guard let url, !url.isFileURL else { return nil }
        return LocalCopy.url(options ?? [:])
    }

    /// Throws for a store at a server's URL that was not told where its copy is to be.
    func checkLocalCopy() throws {
        guard let url, !url.isFileURL else { return }
        guard let localCopy, localCopy.isFileURL else {
            throw CoreDataError.make(
                .persistentStoreOpen,
                "the store \(placeName) needs a place for its copy on this machine: set localCopy of its description, "
                    + "or the option PersistentStoreLocalCopyOption, to a file URL")
        }
        _ = try NSPersistentStoreCoordinator.placed(localCopy)
    }

    /// Removes a store at a server's URL from the server, and this machine's copy if the options say where it is. Other
    /// machines' copies stay, and tell that the store was replaced when they ask for it.
    static func destroyShared(_ url: URL, isForced: Bool, _ options: [AnyHashable: Any]) throws {
        let place = SharedLogs.place(of: url.absoluteString)
        guard let kind = SharedLogs.kind(of: url.absoluteString) else {
            throw CoreDataError.make(
                .persistentStoreOperation, "nothing in this program opens \(place): register its kind of log first")
        }
        do {
            try kind.destroy(url.absoluteString)
            if let copy = LocalCopy.url(options) { try StoreFiles(copy).remove(isForced: isForced) }
        } catch {
            throw StoreError.opening(error, path: place)
        }
    }
}
