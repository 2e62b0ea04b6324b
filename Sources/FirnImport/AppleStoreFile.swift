import FirnFoundation
import FirnModel
import FirnProjection
import FirnSQLite
import Foundation

/// A store of Apple's, opened so that nothing in its folder changes.
///
/// Without a journal, the file is read in its place, as one that nobody changes. With one, file and journal are copied
/// first: reading them would change the shared-memory file.
final class AppleStoreFile {
    /// An entity as the store numbers it.
    struct Entity {
        var number: Int64
        var name: String
        /// The last primary key that was given, in a row of a root entity.
        var lastKey: Int64
    }

    let url: URL
    let connection: Connection
    let identifier: UUID
    /// The content of `Z_METADATA`.
    let metadata: [String: Any]
    /// The content of `Z_PRIMARYKEY`.
    let entities: [Entity]
    /// The columns of each table, in upper case.
    private var columns: [String: Set<String>] = [:]
    private(set) var notes: [String] = []

    /// Opens the store, with a copy in `folder` where one is needed, and looks whether it is whole.
    init(_ url: URL, copyingTo folder: URL) throws {
        self.url = url
        try Self.checkMagic(url)
        do {
            connection = try Self.connect(url, folder)
            try Self.check(connection, url)
            (identifier, metadata) = try Self.readMetadata(connection, url)
            entities = try Self.readEntities(connection, url)
        } catch let error as SQLiteError {
            throw Self.error(error, url)
        }
    }

    private static func checkMagic(_ url: URL) throws {
        let magic = Array("SQLite format 3\0".utf8)
        let start: Data?
        do {
            let handle = try FileHandle(forReadingFrom: url)
            defer { try? handle.close() }
            start = try handle.read(upToCount: magic.count)
        } catch {
            throw AppleStoreError(
                .unreadable, "the file cannot be read; name the SQLite file of a Core Data store", path: url.path,
                underlying: error)
        }
        guard start.map(Array.init) == magic else {
            throw AppleStoreError(
                .notAStore, "this is no SQLite file; binary and XML stores cannot be imported", path: url.path)
        }
    }

    private static func connect(_ url: URL, _ folder: URL) throws -> Connection {
        let journals = ["-wal", "-journal"].filter { size(url.path + $0) > 0 }
        if journals.isEmpty { return try Connection(.file(url.path), mode: .immutable) }
        let copy = folder.appendingPathComponent("original")
        for suffix in [""] + journals {
            do {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
            } catch {
                throw AppleStoreError(
                    .unwritable, "the store and its journal cannot be copied next to the new store",
                    path: copy.path + suffix, underlying: error)
            }
        }
        return try Connection(.file(copy.path), mode: .readWrite)
    }

    private static func size(_ path: String) -> Int64 {
        var information = stat()
        return stat(path, &information) == 0 ? Int64(information.st_size) : 0
    }

    /// SQLite's own look at the pages: https://www.sqlite.org/pragma.html#pragma_quick_check
    private static func check(_ connection: Connection, _ url: URL) throws {
        let tables = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE name IN ('Z_PRIMARYKEY', 'Z_METADATA')")
        guard tables == 2 else {
            throw AppleStoreError(
                .notAStore, "this SQLite file has no Z_PRIMARYKEY and Z_METADATA, so Core Data did not write it",
                path: url.path)
        }
        let pages = try (connection.integer("PRAGMA page_count") ?? 0) * (connection.integer("PRAGMA page_size") ?? 0)
        guard connection.mode != .immutable || size(url.path) >= pages else {
            throw AppleStoreError(
                .damaged, "the file is cut off: it has \(size(url.path)) of \(pages) bytes; import a backup",
                path: url.path)
        }
        let finding = try connection.text("PRAGMA quick_check(1)") ?? "no answer"
        guard finding == "ok" else {
            throw AppleStoreError(
                .damaged, "SQLite finds damage: \(finding); import a backup, or what sqlite3's .recover makes of it",
                path: url.path)
        }
    }

    private static func readMetadata(_ connection: Connection, _ url: URL) throws -> (UUID, [String: Any]) {
        let row = try connection.withStatement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA") { statement in
            try statement.step() ? (statement.text(0), Data(statement.blob(1))) : nil
        }
        guard let (text, plist) = row, let identifier = UUID(uuidString: text) else {
            throw AppleStoreError(.notAStore, "the store has no UUID in Z_METADATA", path: url.path)
        }
        return (identifier, PropertyList.dictionary(plist) ?? [:])
    }

    private static func readEntities(_ connection: Connection, _ url: URL) throws -> [Entity] {
        try connection.withStatement("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") { statement in
            var found: [Entity] = []
            while try statement.step() {
                let number = statement.integer(0)
                guard number < firstHistoryEntity else { continue }
                found.append(Entity(number: number, name: statement.text(1), lastKey: statement.integer(2)))
            }
            return found
        }
    }

    /// Entities of Core Data's own, for history, are numbered from here on. Measured.
    private static let firstHistoryEntity: Int64 = 16_000

    static func error(_ error: SQLiteError, _ url: URL) -> AppleStoreError {
        let isDamage = [.corrupt, .notADatabase].contains(error.code)
        return AppleStoreError(
            isDamage ? .damaged : .unreadable,
            isDamage ? "SQLite finds damage; import a backup" : "SQLite cannot read the store", path: url.path,
            underlying: error)
    }

    /// The names of a table's columns, in upper case; empty if there is no such table.
    func columns(of table: String) throws -> Set<String> {
        if let known = columns[table] { return known }
        let names = try connection.withStatement("SELECT name FROM pragma_table_info(?1)") { statement in
            try statement.bind(table, at: 1)
            var names: Set<String> = []
            while try statement.step() { names.insert(statement.text(0).uppercased()) }
            return names
        }
        columns[table] = names
        return names
    }

    /// Tables whose rows are pairs of a many-to-many relationship begin so.
    func linkTables() throws -> [String] {
        try connection.withStatement("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z_[0-9]*'") {
            var names: [String] = []
            while try $0.step() { names.append($0.text(0)) }
            return names.sorted()
        }
    }

    /// The model's entities that the store knows: a store may have been written with one configuration of it.
    func members(of model: NSManagedObjectModel) throws -> [NSEntityDescription] {
        let numbered = try AppleEntityNumbers(model, self)
        return model.entities.filter { numbered.number(of: $0) != nil }
    }

    /// The application's part of the metadata, without what Core Data keeps there for itself.
    var applicationMetadata: [String: Any] {
        let prefixes = ["_NS", "NSStore", "NSPersistence", "NSPersistentStore"]
        return metadata.filter { entry in !prefixes.contains { entry.key.hasPrefix($0) } }
    }

    func addNote(_ text: String) { notes.append(text) }
}
