package import FirnLog
import Foundation

/// How durable a save is when it returns, as a store option: `"synced"` (the default), `"bounded"` (within 100
/// milliseconds), `"bounded 5000"` (within 5,000 microseconds, a day at most) or `"system"`. See `Durability`.
public let PersistentStoreDurabilityOption = "PersistentStoreDurability"

extension Durability {
    private static let boundDefault: Int64 = 100_000

    /// In microseconds: a day.
    private static let boundMax: Int64 = 86_400_000_000

    /// The values of a store's options.
    package init(options: [AnyHashable: Any]?) { self = StoreOptions.durability.value(in: options) ?? .synced }

    /// Nil for a text that is no value of the option.
    init?(option: String) {
        let words = option.split(separator: " ", omittingEmptySubsequences: false)
        switch (words[0], words.count) {
        case ("synced", 1): self = .synced
        case ("system", 1): self = .system
        case ("bounded", 1): self = .bounded(microseconds: Self.boundDefault)
        case ("bounded", 2):
            guard let bound = Int64(words[1]), (0...Self.boundMax).contains(bound) else { return nil }
            self = .bounded(microseconds: bound)
        default: return nil
        }
    }

    /// The option's value.
    package var option: String {
        switch self {
        case .synced: "synced"
        case .bounded(let microseconds): "bounded \(microseconds)"
        case .system: "system"
        }
    }
}

/// The file system that the log of a store on disk is on, as a store option: an `any FileSystem` whose paths are the
/// operating system's. Without it, it is the operating system's own.
package let PersistentStoreFileSystemOption = "PersistentStoreFileSystem"

/// The file system of the log by the options of a store.
package enum LogFileSystem {
    package static func of(_ options: [AnyHashable: Any]?) -> any FileSystem {
        StoreOptions.fileSystem.value(in: options) ?? PosixFileSystem()
    }
}
