import FirnRuntime
import Foundation

/// The coordinator's queue, and its older lock.
extension NSPersistentStoreCoordinator {
    static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// A queue that tells the coordinator by what runs on it.
    func markQueue() { queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self)) }

    /// Runs `block` on the coordinator's queue, waits for it, and gives what it gives. May be nested.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try wait(block) }

    func wait<T>(_ block: () throws -> T) rethrows -> T {
        if DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) { return try block() }
        return try queue.sync { try block() }
    }

    /// Runs `block` on the coordinator's queue without blocking the caller.
    @preconcurrency
    public nonisolated func perform<T>(_ block: @escaping @Sendable () throws -> T) async rethrows -> T {
        let result: Result<T, any Error> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Transferred(Result { try block() }).release())
            }
        }
        return try NSManagedObjectContext.value(of: result, block) { throw $0 }
    }

    /// Runs `body` while no other thread is between `lock()` and `unlock()`.
    public func withLock<R>(_ body: () throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        return try body()
    }
}
