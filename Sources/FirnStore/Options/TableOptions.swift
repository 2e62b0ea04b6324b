package import FirnProjection
import Foundation

/// The options of a store for its tables: SQLite's settings, the number of connections, upkeep.
package struct TableOptions {
    private let options: [AnyHashable: Any]

    package init(_ options: [AnyHashable: Any]?) { self.options = options ?? [:] }

    /// Upkeep is left out for a store that is read only.
    package func apply(to projection: Projection, isReadOnly: Bool) throws {
        try projection.set(tuningPragmas)
        if let count = StoreOptions.connectionCount.value(in: options) { projection.setIdleConnectionsMax(count) }
        if isReadOnly { return }
        if StoreOptions.vacuums.isSet(in: options) { try projection.vacuum() }
        if StoreOptions.analyzes.isSet(in: options) { try projection.analyze() }
    }

    /// The pragmas that the application may set. `wal_autocheckpoint` is none: such checkpoints let others write
    /// meanwhile.
    private static let tuningNames: Set<String> = [
        "cache_size", "cache_spill", "journal_size_limit", "mmap_size", "secure_delete", "synchronous", "temp_store",
        "threads",
    ]

    private var tuningPragmas: [(name: String, value: String)] {
        let all = StoreOptions.pragmas.value(in: options) ?? [:]
        return all.filter { Self.tuningNames.contains($0.key.lowercased()) }.sorted { $0.key < $1.key }
            .map { (name: $0.key, value: $0.value) }
    }

    /// SQLite's settings by name; nil if one is no word or number. Neither can be bound in a pragma.
    @Sendable static func pragmas(of value: Any) -> [String: String]? {
        guard let values = value as? [String: Any] else { return nil }
        let texts = values.compactMapValues { value in
            (value as? String ?? (value as? NSNumber)?.stringValue).flatMap { isWord($0) ? $0 : nil }
        }
        return texts.count == values.count ? texts : nil
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 < 0x80 && isalnum(Int32($0)) != 0 }
    }
}

/// How many bytes of rows a store keeps in memory for its contexts, as a store option: a number, 64 MB by default.
///
/// Objects that a context holds keep their rows beyond that. Fewer bytes mean that faults ask the tables more often.
public let PersistentStoreRowCacheSizeOption = "PersistentStoreRowCacheSize"

extension RowCache {
    /// The values of a store's options.
    package static func size(options: [AnyHashable: Any]?) -> Int {
        StoreOptions.rowCacheSize.value(in: options) ?? sizeDefault
    }
}
