import FirnFoundation
import FirnStore
import FirnLog
import FirnModel
import FirnProjection
public import Foundation
import Synchronization

extension NSPersistentStoreCoordinator {
    /// Posted by a coordinator when the file of a large value is missing or cannot be read. Ours, not Apple's. A
    /// dictionary fetch, a copy of the store, a migration and `revert(_:)` throw the error then. An object's attribute
    /// cannot: it is nil, and the row stays as it is. The first time, a line on standard error names the file.
    /// `userInfo` has the error under `NSUnderlyingErrorKey`, with the file's path, and the attribute's name under
    /// `NSValidationKeyErrorKey`.
    public static let externalValueUnreadableNotification = Notification.Name(
        "FirnExternalValueUnreadableNotification")
}

extension NSPersistentStore {
    /// Reports that the file of a large value is missing or cannot be read. Returns the error, for who can throw it.
    private final func reportUnreadable(_ attribute: String, _ error: any Error, at path: String) -> any Error {
        let failure = CoreDataError.make(
            .persistentStoreOperation, "the value of \"\(attribute)\" cannot be read: \(error)",
            [NSFilePathErrorKey: path], underlying: error)
        if unreadableValues.withLock({ $0.updateValue(failure, forKey: path) }) == nil {
            Report.post(failure.localizedDescription, .error)
        }
        NotificationCenter.default.post(
            name: NSPersistentStoreCoordinator.externalValueUnreadableNotification,
            object: persistentStoreCoordinator,
            userInfo: [NSUnderlyingErrorKey: failure, NSValidationKeyErrorKey: attribute])
        return failure
    }

    /// Runs `body`, which copies objects of this store. Throws if one of their large values could not be read.
    func checkingLargeValues<R>(_ body: () throws -> R) throws -> R {
        unreadableValues.withLock { $0 = [:] }
        let result = try body()
        if let failure = unreadableValues.withLock({ $0.values.first }) { throw failure }
        return result
    }
}

extension NSPersistentStore: RowReferences {
    /// The value that a row refers to, or why it cannot be read, which is reported. Nil if the row holds the value
    /// itself.
    final func externalValue(_ bytes: UnsafeRawBufferPointer, _ info: Slot) -> Result<Data, any Error>? {
        guard let reference = ExternalReference(bytes: bytes), let values = externalValues else { return nil }
        // An earlier version of this package wrote such bytes of an application for what they are.
        if !info.allowsExternalStorage, !values.has(reference) { return nil }
        return Result { try read(reference, values, info.name) }
    }

    private final func read(_ reference: ExternalReference, _ values: ExternalValues, _ name: String) throws -> Data {
        do {
            try values.check(reference)
            var data = Data(count: reference.size)
            try data.withUnsafeMutableBytes { try values.read(reference, into: $0) }
            return data
        } catch {
            throw reportUnreadable(name, error, at: values.path(of: reference))
        }
    }

    /// A stored value in the types of Apple's API: a reference as an object ID, a large value as it is in its file.
    /// Throws for a large value that cannot be read.
    final func value(_ value: PropertyValue, _ info: Slot) throws -> Any? {
        switch value {
        case .reference(let key): return objectID(for: key)
        case .blob(let bytes):
            return try bytes.withUnsafeBytes { bytes in
                guard let external = externalValue(bytes, info) else { return ValueCoding.object(bytes: bytes, info) }
                return try external.get().withUnsafeBytes { ValueCoding.object(bytes: $0, info) }
            }
        default: return ValueCoding.any(value, info)
        }
    }

    /// A stored value that is to be stored again: a large one as it is in its file.
    final func inline(_ value: PropertyValue, _ info: Slot) throws -> PropertyValue {
        guard case .blob(let bytes) = value, let external = bytes.withUnsafeBytes({ externalValue($0, info) }) else {
            return value
        }
        return .blob(Array(try external.get()))
    }

    package final func largeValue(_ bytes: [UInt8], _ attribute: String) throws -> Data? {
        guard let reference = ExternalReference(bytes: bytes), let values = externalValues else { return nil }
        return try read(reference, values, attribute)
    }
}

extension Data {
    /// A large value in the form in which an object holds it.
    func slotValue(_ info: Slot) -> SlotValue {
        guard case .transformableAttributeType = info.attributeType else { return .blob(self) }
        return withUnsafeBytes { AttributeCoding.slotValue(bytes: $0, info) }
    }
}
