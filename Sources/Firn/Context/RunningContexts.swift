import CDispatch
import FirnModel
import FirnRuntime
import Foundation

/// The contexts in whose queues the present thread is, by nested `performAndWait`: all of them are its own for as long.
///
/// libdispatch tells only the innermost queue.
enum RunningContexts {
    private final class Stack {
        var contexts: [ObjectIdentifier] = []
        /// The `contexts` whose queues are held without libdispatch's knowing, by their places.
        var lent: [Int: NSManagedObjectContext] = [:]
        /// Whether the thread came from the main queue: libdispatch does not tell that within `sync` of another one.
        var holdsMainQueue = false
    }

    private static let held = ThreadLocal<Stack>()

    private static var stack: Stack {
        if let stack = held.object { return stack }
        let made = Stack()
        held.set(made)
        return made
    }

    static func contains(_ context: NSManagedObjectContext) -> Bool {
        held.object?.contexts.contains(ObjectIdentifier(context)) ?? false
    }

    /// Runs `body` on the context's queue and waits. Called on the queue's own thread, or on that of another context,
    /// which is then this one's too.
    static func wait<R>(for context: NSManagedObjectContext, _ body: () throws -> R) rethrows -> R {
        if context.concurrencyType == .mainQueueConcurrencyType, isDescendantCurrent(of: context) {
            return try waitAsDescendant(for: context, body)
        }
        if MainQueueLending.isNeeded(by: context) {
            return try MainQueueLending.hold(context) { try hold(context, isLent: true, fromMain: true, body) }
        }
        let fromMain = MainQueue.isCurrent
        return try context.queue.sync { try hold(context, isLent: false, fromMain: fromMain, body) }
    }

    private static func hold<R>(
        _ context: NSManagedObjectContext, isLent: Bool, fromMain: Bool, _ body: () throws -> R
    ) rethrows -> R {
        let stack = stack
        let heldMain = stack.holdsMainQueue
        stack.holdsMainQueue = fromMain
        if isLent { stack.lent[stack.contexts.count] = context }
        stack.contexts.append(ObjectIdentifier(context))
        defer {
            stack.contexts.removeLast()
            if isLent { stack.lent[stack.contexts.count] = nil }
            stack.holdsMainQueue = heldMain
        }
        return try body()
    }

    /// Whether the thread is in the queue of a context that it entered from the main queue.
    static var holdsMainQueue: Bool {
        held.object?.holdsMainQueue ?? false
    }

    /// The innermost context of this thread, if libdispatch does not know that its queue is held.
    static var lentContext: NSManagedObjectContext? {
        guard let stack = held.object else { return nil }
        return stack.lent.isEmpty ? nil : stack.lent[stack.contexts.count - 1]
    }

    /// Whether the caller is on the queue of a context below this one.
    private static func isDescendantCurrent(of context: NSManagedObjectContext) -> Bool {
        NSManagedObjectContext.current?.hasAncestor { $0 === context } ?? false
    }

    private static func waitAsDescendant<R>(
        for context: NSManagedObjectContext, _ body: () throws -> R
    ) rethrows -> R {
        var result: Result<R, any Error>?
        MainQueueLending.runOnMainQueue { result = Result { try hold(context, isLent: false, fromMain: true, body) } }
        guard let result else { fatalError("the main queue did not run a block that it was given") }
        return try NSManagedObjectContext.value(of: result, body) { throw $0 }
    }

    /// The label of the present queue.
    static var here: String {
        let label = String(cString: dispatch_queue_get_label(nil))
        if label == DispatchQueue.main.label { return "the main queue" }
        if let id = DispatchQueue.getSpecific(key: NSManagedObjectContext.queueKey) {
            return "the private queue of another context (\(id))"
        }
        // A thread without a queue of its own has the label of a global one.
        return "a dispatch queue that belongs to no context (\(label))"
    }
}

/// The context on whose queue the caller is, found by the key that each private queue carries.
extension NSManagedObjectContext {
    struct Weak: Sendable {
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
