public import Foundation

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
