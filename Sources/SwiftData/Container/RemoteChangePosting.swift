#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import FirnStore
public import Foundation
import Synchronization

extension ModelContainer {
    /// Posted when a store of a container, which is the notification's object, has a new transaction: of a context of
    /// the container, of another stack, or of another process. On a queue of its own, in the order of the transactions.
    ///
    /// The user info has the transaction's token under `ModelContext.NotificationKey.historyTokens` and its raw value,
    /// unless more happened than can be said.
    /// https://developer.apple.com/documentation/swiftdata/historyobserver
    public static let remoteChange = Notification.Name("ModelContainer.remoteChange")
}

/// Posts Core Data's notification of new transactions under the container's name.
final class RemoteChangePosting: Sendable {
    private let observer = Mutex<Transferred<any NSObjectProtocol>?>(nil)

    deinit { replaceObserver(with: nil) }

    private func replaceObserver(with new: Transferred<any NSObjectProtocol>?) {
        let old = observer.withLock { observer in
            defer { observer = new }
            return observer
        }
        if let old { NotificationCenter.default.removeObserver(old.value) }
    }

    func start(_ container: ModelContainer) {
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: container.coordinator, queue: nil
        ) { [weak container] note in
            guard let container else { return }
            let token = note.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
            NotificationCenter.default.post(
                name: ModelContainer.remoteChange, object: container,
                userInfo: Self.userInfo(token))
        }
        replaceObserver(with: Transferred(token))
    }

    private static func userInfo(_ token: NSPersistentHistoryToken?) -> [AnyHashable: Any] {
        guard let token, !token.transactionNumbers.isEmpty else { return [:] }
        var tokens: [String: any HistoryToken] = [:]
        // A notification is of one store.
        for store in token.transactionNumbers.keys { tokens[store] = DefaultHistoryToken(token) }
        let key = ModelContext.NotificationKey.historyTokens
        return [key: tokens, key.rawValue: tokens]
    }
}
#endif
