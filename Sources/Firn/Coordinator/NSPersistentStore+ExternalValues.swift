import FirnStore
import FirnLog
import FirnModel
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

extension NSPersistentStore: RowOwner {
    package var externalValues: ExternalValues? { backend?.externalValues }

    package func reportUnreadable(_ attribute: String, _ error: any Error, at path: String) -> any Error {
        let failure = CoreDataError.make(
            .persistentStoreOperation, "the value of \"\(attribute)\" cannot be read: \(error)",
            [NSFilePathErrorKey: path], underlying: error)
        if unreadableValues.withLock({ $0.updateValue(failure, forKey: path) }) == nil {
            try? FileHandle.standardError.write(contentsOf: Data("Firn: \(failure.localizedDescription)\n".utf8))
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

extension Data {
    /// A large value in the form in which an object holds it.
    func slotValue(_ info: Slot) -> SlotValue {
        guard case .transformableAttributeType = info.attributeType else { return .blob(self) }
        return withUnsafeBytes { AttributeCoding.slotValue(bytes: $0, info) }
    }
}
