public import Firn
public import FirnModel
public import Foundation

/// The identifier of an object of one class, for what leaves the process: JSON, routes, messages.
///
///     struct BookAnswer: Codable { let id: ObjectID<Book>, title: String }
///     let answer = BookAnswer(id: book.typedID, title: book.title)
///     let again = try context.object(answer.id)  // a Book
///
/// As text and in JSON it reads `<store UUID>.<entity>.p<key>`, which needs no percent-encoding in a path. Ours, not
/// Apple's.
public struct ObjectID<Object: NSManagedObject>: Hashable, Sendable, LosslessStringConvertible {
    /// Parts of the URI's path, which has no slash in them.
    fileprivate let store, entity, key: String

    /// The identifier of the object with this ID, whose class is not checked before it is looked up.
    public init(_ objectID: NSManagedObjectID) {
        let uri = objectID.uriRepresentation()
        let path = uri.path(percentEncoded: true).split(separator: "/", maxSplits: 1)
        (store, entity, key) = (uri.host ?? "", String(path[0]), String(path[1]))
    }

    /// Nil if the text is not the identifier of a saved object.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, UUID(uuidString: parts[0]) != nil, !parts[1].isEmpty, parts[2].count > 1,
            parts[2].hasPrefix("p"), !description.contains("/"), URL(string: Self.uriText(parts)) != nil
        else { return nil }
        (store, entity, key) = (parts[0], parts[1], parts[2])
    }

    public var description: String { "\(store).\(entity).\(key)" }

    /// Whether the object was not saved when its identifier was made. Ask the object again after the save.
    public var isTemporary: Bool { key.hasPrefix("t") }

    /// The form in which Apple's API knows it; see `NSManagedObjectID.uriRepresentation()`.
    public var uriRepresentation: URL {
        guard let uri = URL(string: Self.uriText([store, entity, key])) else {
            fatalError("\(description) is made of a URI, and is none")
        }
        return uri
    }

    private static func uriText(_ parts: [String]) -> String { "x-coredata://\(parts.joined(separator: "/"))" }
}

extension ObjectID: Codable {
    /// Throws `DecodingError` for what is not the identifier of a saved object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ObjectID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text)” is no identifier: one reads <store UUID>.<entity>.p<key>")
        }
        self = id
    }

    /// Throws `EncodingError` for a temporary identifier, which means nothing outside of the process.
    public func encode(to encoder: any Encoder) throws {
        guard !isTemporary else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "the identifier of an unsaved \(entity) is temporary: encode it after the save"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The reason why an `ObjectID` leads to no object.
public struct ObjectIDError: Error, Hashable {
    /// The reasons.
    public enum Code: Hashable, Sendable {
        /// The object was not saved when its identifier was made.
        case temporary
        /// The object is in a store that the context does not have.
        case otherStore
        /// The object is of an entity that the model does not have, or of another class.
        case otherEntity
        /// The object was deleted, or never was there.
        case missing
    }

    /// The reason.
    public let code: Code
    /// The reason and the remedy, in one line.
    public let message: String
}

extension ObjectIDError: LocalizedError {
    public var errorDescription: String? { message }
}

extension NSFetchRequestResult where Self: NSManagedObject {
    /// The object's identifier with its class. Temporary until the object is saved.
    public var typedID: ObjectID<Self> { ObjectID(objectID) }
}

extension NSManagedObjectContext {
    /// The object with this identifier, read from its store if needed. Throws `ObjectIDError` if there is none.
    public func object<Object>(_ id: ObjectID<Object>) throws -> Object {
        func failure(_ code: ObjectIDError.Code, _ text: String) -> ObjectIDError {
            ObjectIDError(code: code, message: "\(id) \(text)")
        }
        if id.isTemporary { throw failure(.temporary, "is temporary: ask the object again after the save") }
        let stores = persistentStoreCoordinator?.persistentStores ?? []
        guard stores.contains(where: { $0.identifier.caseInsensitiveCompare(id.store) == .orderedSame }) else {
            throw failure(.otherStore, "is of a store that the context does not have")
        }
        let objectID = persistentStoreCoordinator?.managedObjectID(forURIRepresentation: id.uriRepresentation)
        guard let objectID else { throw failure(.otherEntity, "names no object of the model") }
        guard let object = try objectInStore(objectID) else { throw failure(.missing, "is not in the store") }
        guard !object.isDeleted else { throw failure(.missing, "was deleted") }
        guard let found = object as? Object else {
            throw failure(.otherEntity, "is a \(type(of: object)), not a \(Object.self)")
        }
        return found
    }
}
