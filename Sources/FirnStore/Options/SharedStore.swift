import FirnLog
public import Foundation

/// A store at a server's URL, of which this machine has a copy.
package struct SharedStore {
    private let url: URL
    private let options: [AnyHashable: Any]

    package init(_ url: URL, _ options: [AnyHashable: Any]?) {
        self.url = url
        self.options = options ?? [:]
    }

    private var placeName: String { SharedLogs.place(of: url.absoluteString) }

    /// Throws if the options do not say where the copy is to be.
    package func checkLocalCopy() throws {
        guard let copy = LocalCopy.url(options), copy.isFileURL else {
            throw CoreDataError.make(
                .persistentStoreOpen,
                "the store \(placeName) needs a place for its copy on this machine: set localCopy of its description, "
                    + "or the option PersistentStoreLocalCopyOption, to a file URL")
        }
        _ = try StorePlace.placed(copy)
    }

    /// Removes the store from the server, and this machine's copy if the options say where it is. Other machines'
    /// copies stay, and tell that the store was replaced when they ask for it.
    package func destroy(isForced: Bool) throws {
        guard let kind = SharedLogs.kind(of: url.absoluteString) else {
            throw CoreDataError.make(
                .persistentStoreOperation, "nothing in this program opens \(placeName): register its kind of log first")
        }
        do {
            try kind.destroy(url.absoluteString)
            if let copy = LocalCopy.url(options) { try StoreFiles(copy).remove(isForced: isForced) }
        } catch {
            throw StoreError.opening(error, path: placeName)
        }
    }
}

/// Where this machine keeps its copy of a store that is opened at a server's URL: a file URL, as for a store on disk.
/// The tables are there, and the copy of the log next to them.
public let PersistentStoreLocalCopyOption = "PersistentStoreLocalCopy"

extension NSPersistentStoreDescription {
    /// Where this machine keeps its copy of a store whose `url` is a server's, such as
    /// `postgresql://ada@db/library#Notes`. Its folder has to be there. Ours, not Apple's.
    public var localCopy: URL? {
        get { LocalCopy.url(options) }
        set { setOption(newValue.map { $0.absoluteString as NSString }, forKey: PersistentStoreLocalCopyOption) }
    }
}

/// The option's value: a URL, or its text, or a path.
package enum LocalCopy {
    package static func url(_ options: [AnyHashable: Any]) -> URL? { StoreOptions.localCopy.value(in: options) }

    /// Nil for what is no file URL.
    @Sendable static func url(of value: Any) -> URL? {
        let url: URL? =
            switch value {
            case let url as URL: url
            case let text as String where text.hasPrefix("file:"): URL(string: text)
            case let text as String where !text.isEmpty: URL(fileURLWithPath: text)
            default: nil
            }
        return url?.isFileURL == true ? url : nil
    }
}
