import FirnFoundation
package import FirnLog
package import FirnModel
package import FirnProjection
import Foundation

/// Values of a batch request in the form in which they are stored.
///
/// What a batch is made of comes from files and networks more often than from the program: a value of the wrong type is
/// an error here, where setting it on an object stops the program.
package struct BatchValue {
    /// The store that a batch writes to, as object IDs know it.
    private let store: AnyObject
    private let schema: StoreSchema

    package init(store: AnyObject, schema: StoreSchema) {
        self.store = store
        self.schema = schema
    }

    /// The stored form of `value`.
    package func stored(_ value: Any?, _ info: Slot) throws -> PropertyValue {
        guard let value, !(value is NSNull) else { return .null }
        guard let type = info.attributeType else { return .reference(try reference(value, info)) }
        if let usual = Self.usual(value, type) { return usual }
        switch DefaultValue(value, type: type) {
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .text(let value): return .text(value)
        case .blob(let value): return .blob(value)
        case .object(let value): return try ValueCoding.storedObject(value, info)
        case .some(.none): return .null
        case nil: throw mismatch(value, info)
        }
    }

    /// The types that most values are of. A look at the exact type is much cheaper than a cast that may bridge.
    private static func usual(_ value: Any, _ type: NSAttributeType) -> PropertyValue? {
        switch type {
        case .stringAttributeType: return (value as? String).map { .text($0) }
        case .integer64AttributeType:
            return Swift.type(of: value) == Int.self ? (value as? Int).map { .integer(Int64($0)) } : nil
        case .doubleAttributeType:
            return Swift.type(of: value) == Double.self ? (value as? Double).map { .real($0) } : nil
        case .dateAttributeType:
            return (value as? Date).map { .real($0.timeIntervalSinceReferenceDate) }
        case .binaryDataAttributeType: return (value as? Data).map { .blob([UInt8]($0)) }
        default: return nil
        }
    }

    /// A value that SQL computed, in the storage type of the property it is for.
    package func coerced(_ value: PropertyValue, _ info: Slot) throws -> PropertyValue {
        switch (value, info.storage) {
        case (.integer(let number), .integer) where info.attributeType != nil:
            return try stored(info.attributeType == .booleanAttributeType ? number != 0 : number, info)
        case (.null, _), (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): return value
        case (.reference(let key), .reference): return .reference(try checked(key, info, value))
        case (.integer(let number), .real): return .real(Double(number))
        case (.real(let number), .integer):
            guard let exact = Int64(exactly: number.rounded(.towardZero)) else { throw mismatch(number, info) }
            return try coerced(.integer(exact), info)
        case (.integer(let number), .text) where info.attributeType == .decimalAttributeType:
            return .text(String(number))
        case (.real(let number), .text) where info.attributeType == .decimalAttributeType:
            return .text(NumericValue.double(number).decimalValue.description)
        case (.text(let text), .real), (.text(let text), .integer):
            // A decimal's text, or one that spells a number, as a column of numbers takes it.
            guard let number = ColumnAffinity.number(text) else { throw mismatch(value, info) }
            if case .integer(let integer) = number { return try coerced(.integer(integer), info) }
            return try coerced(.real(number.doubleValue), info)
        default: throw mismatch(value, info)
        }
    }

    private func reference(_ value: Any, _ info: Slot) throws -> ObjectKey {
        let identity = (value as? any IdentityProviding)?.comparisonIdentity ?? value
        guard let id = identity as? NSManagedObjectID else { throw mismatch(value, info) }
        guard !id.isTemporaryID, id.storeObject === store else {
            throw CoreDataError.make(
                .managedObjectExternalRelationship,
                "\"\(info.name)\" leads to \(id.uriRepresentation()), which is not saved in the same store: save it "
                    + "there first",
                [NSValidationKeyErrorKey: info.name])
        }
        return try checked(ObjectKey(id), info, value)
    }

    /// Only one side of a relationship is written here: the other one must be told by it.
    private func checked(_ key: ObjectKey, _ info: Slot, _ value: Any) throws -> ObjectKey {
        guard case .toOne(let toOne) = info.kind, toOne.inverseSlot == nil || toOne.inverseIsToMany else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "\"\(info.name)\" has a to-one inverse, which a batch request does not keep: set it on managed objects",
                [NSValidationKeyErrorKey: info.name])
        }
        guard let entity = schema.entity(key.entity), entity.isKindOf(entity: toOne.destination) else {
            throw mismatch(value, info)
        }
        return key
    }

    private func mismatch(_ value: Any, _ info: Slot) -> NSError {
        CoreDataError.make(
            .managedObjectValidation,
            "the property \"\(info.name)\" takes no \(type(of: value)): give it one of its own type, or one that fits "
                + "into it",
            [NSValidationKeyErrorKey: info.name, NSValidationValueErrorKey: value])
    }
}
