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

extension NSPersistentStore: RowOwner {
    package var externalValues: ExternalValues? { backend?.externalValues }

    package func reportUnreadable(_ attribute: String, _ error: any Error, at path: String) {
        let failure = CoreDataError.make(
            .persistentStoreOperation, "the value of \"\(attribute)\" cannot be read: \(error)",
            [NSFilePathErrorKey: path], underlying: error)
        NotificationCenter.default.post(
            name: NSPersistentStoreCoordinator.externalValueUnreadableNotification,
            object: persistentStoreCoordinator,
            userInfo: [NSUnderlyingErrorKey: failure, NSValidationKeyErrorKey: attribute])
    }
}

extension ExternalValue {
    /// In the form in which an object holds it.
    func slotValue(_ info: Slot) -> SlotValue {
        guard case .read(let data) = self else { return .null }
        if case .transformableAttributeType = info.attributeType {
            return data.withUnsafeBytes { AttributeCoding.slotValue(bytes: $0, info) }
        }
        return .blob(data)
    }
}
