import FirnModel
package import FirnProjection
import Foundation

/// What a store's options ask of its tables: SQLite's settings, the number of connections, upkeep.
package struct TableOptions {
    private let options: [AnyHashable: Any]

    package init(_ options: [AnyHashable: Any]?) { self.options = options ?? [:] }

    /// Upkeep is left out for a store that is read only.
    package func apply(to projection: Projection, isReadOnly: Bool) throws {
        try projection.set(try pragmas())
        if let count = options[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber {
            projection.setIdleConnectionsMax(count.intValue)
        }
        if isReadOnly { return }
        if isSet(NSSQLiteManualVacuumOption) { try projection.vacuum() }
        if isSet(NSSQLiteAnalyzeOption) { try projection.analyze() }
    }

    private func isSet(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }

    /// The pragmas that the application may set.
    private static let tuningPragmas: Set<String> = [
        "cache_size", "cache_spill", "journal_size_limit", "mmap_size", "secure_delete", "synchronous", "temp_store",
        "threads", "wal_autocheckpoint",
    ]

    /// SQLite's settings among the options. Throws if one is no word or number.
    private func pragmas() throws -> [(name: String, value: String)] {
        let all = options[NSSQLitePragmasOption] as? [String: Any] ?? [:]
        let tuning = all.filter { Self.tuningPragmas.contains($0.key.lowercased()) }
        return try tuning.sorted { $0.key < $1.key }.map { name, value in
            let value = "\(value)"
            let isWord = value.utf8.allSatisfy { $0 == UInt8(ascii: "-") || isalnum(Int32($0)) != 0 }
            guard isWord, !value.isEmpty else {
                throw CoreDataError.make(
                    .persistentStoreOpen,
                    "the pragma \(name) in \(NSSQLitePragmasOption) has a value that is no word or number: \(value)")
            }
            return (name, value)
        }
    }
}
