import FirnImport
import FirnModel
import FirnSQLite
import Foundation

/// What SQL says is in a store of the corpus, in the notation of `ImportedStore`. It knows the corpus' stores and
/// nothing of how they are imported.
struct SQLReading {
    let identifier: String
    private(set) var objects: [String: [String: String]] = [:]
    private let connection: Connection
    private var numbers: [String: Int64] = [:]

    /// Pairs that no to-one column tells.
    private static let pairs = [
        "BookmarkEntity.favorites":
            "SELECT Z_1FAVORITES FROM Z_1FAVORITES WHERE Z_1FAVORITEFOLDERS = ? ORDER BY Z_FOK_1FAVORITES",
        "BookmarkEntity.favoriteFolders":
            "SELECT Z_1FAVORITEFOLDERS FROM Z_1FAVORITES WHERE Z_1FAVORITES = ?",
    ]
    /// Names that a migration left in Z_PRIMARYKEY.
    private static let renamed = ["ExpensiveSportCar": "LuxuryCar"]

    init(of store: URL, in copy: URL, model: NSManagedObjectModel) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.path + suffix) {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: copy.path + suffix)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
        }
        connection = try Connection(.file(copy.path), mode: .readWrite)
        identifier = try connection.text("SELECT Z_UUID FROM Z_METADATA") ?? ""
        try connection.withStatement("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") {
            while try $0.step() {
                let name = $0.text(1)
                let known = model.entitiesByName[name] == nil ? Self.renamed[name] ?? name : name
                numbers[known] = $0.integer(0)
            }
        }
        for entity in model.entities where !entity.isAbstract { try read(entity) }
    }

    private func table(_ entity: NSEntityDescription) -> String {
        var root = entity
        while let parent = root.superentity { root = parent }
        return "Z" + root.name!.uppercased()
    }

    private mutating func read(_ entity: NSEntityDescription) throws {
        let keys = try column("SELECT Z_PK FROM \(table(entity)) WHERE Z_ENT = ?", numbers[entity.name!] ?? -1)
        for key in keys {
            guard case .integer(let key) = key else { continue }
            var values: [String: String] = [:]
            for property in entity.properties where !property.isTransient {
                if let attribute = property as? NSAttributeDescription {
                    values[property.name] = try text(attribute, entity, key)
                } else if let relationship = property as? NSRelationshipDescription {
                    values[property.name] = try members(relationship, entity, key)
                }
            }
            objects["\(entity.name!)/p\(key)"] = values
        }
    }

    private func column(_ sql: String, _ key: Int64) throws -> [SQLiteValue] {
        try connection.withStatement(sql) { statement in
            try statement.bind(key, at: 1)
            var values: [SQLiteValue] = []
            while try statement.step() { values.append(statement.value(0)) }
            return values
        }
    }

    private func text(
        _ attribute: NSAttributeDescription, _ entity: NSEntityDescription, _ key: Int64
    ) throws -> String {
        let value = try column("SELECT Z\(attribute.name.uppercased()) FROM \(table(entity)) WHERE Z_PK = ?", key)[0]
        switch (attribute.attributeType, value) {
        case (_, .null): return "nil"
        case (.dateAttributeType, .real(let seconds)): return "date \(seconds)"
        case (.dateAttributeType, .integer(let seconds)): return "date \(Double(seconds))"
        case (.decimalAttributeType, .real(let number)): return "decimal \(number)"
        case (.decimalAttributeType, .integer(let number)): return "decimal \(number)"
        case (.UUIDAttributeType, .blob(let bytes)):
            return "uuid " + UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }).uuidString
        case (.URIAttributeType, .text(let text)): return "url " + text
        case (_, .text(let text)): return "text " + text
        case (_, .integer(let number)): return "number \(Double(number))"
        case (_, .real(let number)): return "number \(number)"
        case (_, .blob(let bytes)):
            // The mark of data in the row, of attributes that may store it in files.
            let data = attribute.allowsExternalBinaryDataStorage ? bytes.dropFirst() : bytes[...]
            return "data " + Data(data).base64EncodedString()
        }
    }

    private func members(
        _ relationship: NSRelationshipDescription, _ entity: NSEntityDescription, _ key: Int64
    ) throws -> String {
        let destination = relationship.destinationEntity!
        let keys: [SQLiteValue]
        if relationship.inverseRelationship!.isToMany, let sql = Self.pairs["\(entity.name!).\(relationship.name)"] {
            keys = try column(sql, key)
        } else if relationship.isToMany {
            let inverse = relationship.inverseRelationship!.name.uppercased()
            let order = relationship.isOrdered ? " ORDER BY Z_FOK_\(inverse)" : ""
            keys = try column("SELECT Z_PK FROM \(table(destination)) WHERE Z\(inverse) = ?" + order, key)
        } else {
            keys = try column("SELECT Z\(relationship.name.uppercased()) FROM \(table(entity)) WHERE Z_PK = ?", key)
        }
        let names = try keys.compactMap { try name($0, destination) }
        return (relationship.isOrdered ? names : names.sorted()).joined(separator: " ")
    }

    private func name(_ key: SQLiteValue, _ destination: NSEntityDescription) throws -> String? {
        guard case .integer(let key) = key,
            case .integer(let number)? = try column("SELECT Z_ENT FROM \(table(destination)) WHERE Z_PK = ?", key).first
        else { return nil }
        return numbers.first { $0.value == number }.map { "\($0.key)/p\(key)" }
    }
}
