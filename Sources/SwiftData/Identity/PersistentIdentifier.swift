#if SwiftData
import Firn
import FirnModel
import Foundation

/// The identity of a model, which finds it again: in another context, another process, another day.
///
/// It is temporary until the model is saved. A temporary one is known to its context alone: do not store it.
/// https://developer.apple.com/documentation/swiftdata/persistentidentifier
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
    /// The identifier as a value of its own.
    public struct ID: Hashable, Sendable {
        let form: Form

        var uri: String {
            switch form {
            case .object(let objectID): objectID.uriRepresentation().absoluteString
            case .made(let made): made.uri
            }
        }
    }

    /// That of a managed object is the object's own: its texts are made when somebody asks for them, as a save makes
    /// many identifiers, and few are looked at.
    enum Form: Sendable {
        case object(NSManagedObjectID)
        case made(Made)
    }

    /// An identifier that was decoded, or is of no managed object. A class: others are a word, and take no more.
    final class Made: Sendable {
        let uri: String
        let entityName: String
        let storeIdentifier: String?
        let isTemporary: Bool
        let primaryKey: String

        init(uri: String, entityName: String, storeIdentifier: String?, isTemporary: Bool, primaryKey: String) {
            self.uri = uri
            self.entityName = entityName
            self.storeIdentifier = storeIdentifier
            self.isTemporary = isTemporary
            self.primaryKey = primaryKey
        }
    }

    public let id: ID
    /// The name of the model's entity.
    public var entityName: String { id.form.entityName }
    /// The identifier of the store that has the model; nil before it is saved.
    public var storeIdentifier: String? { id.form.storeIdentifier }
    /// Whether the model was not saved when the identifier was made.
    public var isTemporary: Bool { id.form.isTemporary }
    /// The text that tells the model from others of its entity.
    var primaryKey: String { id.form.primaryKey }

    init(_ objectID: NSManagedObjectID) {
        if let store = objectID.persistentStore as? NSIncrementalStore, let source = store as? any IdentifierSource {
            self = source.identifier(of: objectID)
        } else {
            id = ID(form: .object(objectID))
        }
    }

    init(temporaryFor entityName: String) {
        let uuid = UUID().uuidString
        self.init(storeIdentifier: nil, entityName: entityName, primaryKey: "t" + uuid, isTemporary: true)
    }

    init(storeIdentifier: String?, entityName: String, primaryKey: String, isTemporary: Bool) {
        let uri = "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(primaryKey)"
        id = ID(
            form: .made(
                Made(
                    uri: uri, entityName: entityName, storeIdentifier: storeIdentifier, isTemporary: isTemporary,
                    primaryKey: primaryKey)))
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
        id = ID(
            form: .made(
                Made(
                    uri: encoded.uriRepresentation, entityName: encoded.entityName,
                    storeIdentifier: encoded.storeIdentifier, isTemporary: encoded.isTemporary,
                    primaryKey: encoded.primaryKey)))
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

extension PersistentIdentifier.Form: Hashable {
    var entityName: String {
        switch self {
        case .object(let objectID): objectID.entity.name ?? ""
        case .made(let made): made.entityName
        }
    }

    var storeIdentifier: String? {
        switch self {
        case .object(let objectID): objectID.isTemporaryID ? nil : objectID.storeIdentifier
        case .made(let made): made.storeIdentifier
        }
    }

    var isTemporary: Bool {
        switch self {
        case .object(let objectID): objectID.isTemporaryID
        case .made(let made): made.isTemporary
        }
    }

    var primaryKey: String {
        switch self {
        case .object(let objectID): objectID.isTemporaryID ? "t" : "p\(objectID.primaryKey)"
        case .made(let made): made.primaryKey
        }
    }

    /// Identifiers are equal if their URIs are. Two object IDs are compared without making these.
    static func == (lhs: Self, rhs: Self) -> Bool {
        if case .object(let left) = lhs, case .object(let right) = rhs { return left == right }
        return lhs.primaryKey == rhs.primaryKey && PersistentIdentifier.ID(form: lhs).uri
            == PersistentIdentifier.ID(form: rhs).uri
    }

    func hash(into hasher: inout Hasher) { hasher.combine(primaryKey) }
}

/// A store that gives its objects identifiers of its own.
protocol IdentifierSource: NSIncrementalStore {
    /// The identifier of an object.
    func identifier(of objectID: NSManagedObjectID) -> PersistentIdentifier
}
#endif
