import Foundation

/// The user info of a description. It may be changed while the model is in use, from any thread.
final class UserInfo: @unchecked Sendable {
    private let lock = NSLock()
    /// Guarded by `lock`.
    private var stored: [AnyHashable: Any]? = [:]

    var value: [AnyHashable: Any]? {
        get {
            lock.lock()
            defer { lock.unlock() }
            return stored
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            stored = newValue
        }
    }
}
