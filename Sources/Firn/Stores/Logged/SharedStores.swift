public import FirnStore
import FirnLog
import Foundation

extension NSPersistentStore {
    /// What this machine knows of the store's shared log, without asking anybody; nil for a store that has none. While
    /// the server is away, fetches show the state after `head`, and saves fail. Ours, not Apple's.
    public var sharedLogState: SharedLogState? {
        backend?.engine.flatMap { SharedLogState($0.log) }
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
        _ = try StorePlace.placed(localCopy)
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
