#if SwiftData
import Firn
import FirnModel
import Foundation

/// What tells a model from all others, and finds it again: in another context, another process, another day.
///
/// It is temporary until the model is saved. A temporary one is known to its context alone: do not store it.
/// https://developer.apple.com/documentation/swiftdata/persistentidentifier
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
    /// The identifier as a value of its own.
    public struct ID: Hashable, Sendable {
        let uri: String
    }

    public let id: ID
    /// The name of the model's entity.
    public private(set) var entityName: String
    /// The identifier of the store that has the model; nil before it is saved.
    public private(set) var storeIdentifier: String?
    /// Whether the model was not saved when the identifier was made.
    public private(set) var isTemporary: Bool
    /// What tells the model from others of its entity.
    let primaryKey: String

    init(_ objectID: NSManagedObjectID) {
        if let store = objectID.persistentStore as? NSIncrementalStore, let source = store as? any IdentifierSource {
            self = source.identifier(of: objectID)
            return
        }
        id = ID(uri: objectID.uriRepresentation().absoluteString)
        entityName = objectID.entity.name ?? ""
        storeIdentifier = objectID.isTemporaryID ? nil : objectID.storeIdentifier
        isTemporary = objectID.isTemporaryID
        primaryKey = objectID.isTemporaryID ? "t" : "p\(objectID.primaryKey)"
    }

    init(temporaryFor entityName: String) {
        let uuid = UUID().uuidString
        self.init(storeIdentifier: nil, entityName: entityName, primaryKey: "t" + uuid, isTemporary: true)
    }

    init(storeIdentifier: String?, entityName: String, primaryKey: String, isTemporary: Bool) {
        id = ID(uri: "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(primaryKey)")
        self.entityName = entityName
        self.storeIdentifier = storeIdentifier
        self.isTemporary = isTemporary
        self.primaryKey = primaryKey
    }

    /// An identifier of a store of one's own.
    public static func identifier<T: Comparable & CustomStringConvertible & Codable & Hashable>(
        for storeIdentifier: String, entityName: String, primaryKey: T
    ) throws -> PersistentIdentifier {
        PersistentIdentifier(
            storeIdentifier: storeIdentifier, entityName: entityName, primaryKey: primaryKey.description,
            isTemporary: false)
    }

    private enum CodingKeys: String, CodingKey {
        case implementation
    }

    private struct Encoded: Codable {
        let primaryKey: String
        let uriRepresentation: String
        let isTemporary: Bool
        let storeIdentifier: String?
        let entityName: String
    }

    public init(from decoder: any Decoder) throws {
        let encoded = try decoder.container(keyedBy: CodingKeys.self).decode(Encoded.self, forKey: .implementation)
        id = ID(uri: encoded.uriRepresentation)
        entityName = encoded.entityName
        storeIdentifier = encoded.storeIdentifier
        isTemporary = encoded.isTemporary
        primaryKey = encoded.primaryKey
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        let encoded = Encoded(
            primaryKey: primaryKey, uriRepresentation: id.uri, isTemporary: isTemporary,
            storeIdentifier: storeIdentifier, entityName: entityName)
        try values.encode(encoded, forKey: .implementation)
    }

    public static func == (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool { lhs.id == rhs.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// By store, entity and primary key: numbers as numbers.
    public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool { lhs.order < rhs.order }

    private var order: (String, String, Int, String) {
        (storeIdentifier ?? "", entityName, Int(primaryKey.drop { !$0.isNumber }) ?? .max, primaryKey)
    }
}

extension NSManagedObjectID {
    /// Saved ones by their primary keys, then new ones in the order in which they were made.
    func precedes(_ other: NSManagedObjectID) -> Bool {
        (temporaryNumber, primaryKey) < (other.temporaryNumber, other.primaryKey)
    }
}
#endif
