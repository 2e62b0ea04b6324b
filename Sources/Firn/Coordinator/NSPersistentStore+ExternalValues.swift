import FirnStore
import FirnLog
import FirnModel
public import Foundation

extension NSPersistentStoreCoordinator {
    /// Posted by a coordinator when the file of a large value is missing or cannot be read; the attribute is nil then,
    /// and the row stays as it is. Ours, not Apple's. `userInfo` has the error under `NSUnderlyingErrorKey`, with the
    /// file's path, and the attribute's name under `NSValidationKeyErrorKey`.
    public static let externalValueUnreadableNotification = Notification.Name(
        "FirnExternalValueUnreadableNotification")
}

extension NSPersistentStore {
    /// The value that a row refers to. Nil if the row holds the value itself.
    func externalValue(_ bytes: UnsafeRawBufferPointer, _ info: Slot) -> ExternalValue? {
        guard let reference = ExternalReference(bytes: bytes), let values = backend?.externalValues else { return nil }
        // The bytes of an attribute that never had files may be an application's own.
        if !info.allowsExternalStorage, !values.has(reference) { return nil }
        return read(reference, values, info.name)
    }

    /// The same for a column of a dictionary.
    func externalValue(_ bytes: [UInt8], name: String) -> ExternalValue? {
        guard let reference = ExternalReference(bytes: bytes), let values = backend?.externalValues else { return nil }
        return read(reference, values, name)
    }

    private func read(_ reference: ExternalReference, _ values: ExternalValues, _ name: String) -> ExternalValue {
        var data = Data(count: reference.size)
        do {
            try data.withUnsafeMutableBytes { try values.read(reference, into: $0) }
            return .read(data)
        } catch {
            reportUnreadable(name, error, values.path(of: reference))
            return .unreadable
        }
    }

    private func reportUnreadable(_ name: String, _ error: any Error, _ path: String) {
        let failure = CoreDataError.make(
            .persistentStoreOperation, "the value of \"\(name)\" cannot be read: \(error)",
            [NSFilePathErrorKey: path], underlying: error)
        NotificationCenter.default.post(
            name: NSPersistentStoreCoordinator.externalValueUnreadableNotification,
            object: persistentStoreCoordinator,
            userInfo: [NSUnderlyingErrorKey: failure, NSValidationKeyErrorKey: name])
    }
}

/// What became of reading a value that a row refers to.
enum ExternalValue {
    case read(Data)
    case unreadable

    var data: Data? { if case .read(let data) = self { data } else { nil } }

    /// In the form in which an object holds it.
    func slotValue(_ info: Slot) -> SlotValue {
        guard case .read(let data) = self else { return .null }
        if case .transformableAttributeType = info.attributeType {
            return data.withUnsafeBytes { AttributeCoding.slotValue(bytes: $0, info) }
        }
        return .blob(data)
    }
}
