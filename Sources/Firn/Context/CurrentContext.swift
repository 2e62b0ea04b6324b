import FirnModel
import FirnRuntime
import Foundation

/// Which context's queue the caller is on: a look at the key that each private queue carries.
extension NSManagedObjectContext {
    struct Weak: @unchecked Sendable {
        let reference: WeakReference<NSManagedObjectContext>

        var context: NSManagedObjectContext? { reference.object }
    }

    /// The key under which a private queue carries its context.
    static let contextKey = DispatchSpecificKey<Weak>()

    /// Contexts of the main queue whose blocks are running, innermost last. Touched on the main thread only.
    private static let onMain = Transferred(ContextStack())

    private final class ContextStack {
        var contexts: [NSManagedObjectContext] = []
    }

    /// The context whose block the caller is in; nil outside of one.
    static var current: NSManagedObjectContext? {
        if let lent = RunningContexts.lentContext { return lent }
        if let owner = DispatchQueue.getSpecific(key: contextKey) { return owner.context }
        return Thread.isMainThread ? onMain.value.contexts.last : nil
    }

    /// Runs a block that was given to this context. A private queue knows its context without help.
    func asCurrent<T>(_ block: () throws -> T) rethrows -> T {
        guard concurrencyType == .mainQueueConcurrencyType, Thread.isMainThread else { return try block() }
        Self.onMain.value.contexts.append(self)
        defer { Self.onMain.value.contexts.removeLast() }
        return try block()
    }
}
