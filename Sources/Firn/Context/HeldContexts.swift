import Foundation

/// The contexts in whose queues the present thread is, by nested `performAndWait`: all of them are its own for as long.
///
/// libdispatch tells only the innermost queue.
enum HeldContexts {
    private final class Stack {
        var contexts: [ObjectIdentifier] = []
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { pointer in
            if let pointer { Unmanaged<Stack>.fromOpaque(pointer).release() }
        }
        guard status == 0 else {
            fatalError("no thread-specific keys are left: \(status)")
        }
        return key
    }()

    private static var stack: Stack {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<Stack>.fromOpaque(pointer).takeUnretainedValue()
        }
        let made = Stack()
        pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        return made
    }

    static func contains(_ context: NSManagedObjectContext) -> Bool {
        guard let pointer = pthread_getspecific(key) else { return false }
        return Unmanaged<Stack>.fromOpaque(pointer).takeUnretainedValue().contexts.contains(ObjectIdentifier(context))
    }

    /// Runs `body` on the context's queue and waits. Called on the queue's own thread, or on that of another context,
    /// which is then this one's too.
    static func wait<R>(for context: NSManagedObjectContext, _ body: () throws -> R) rethrows -> R {
        try context.queue.sync {
            let stack = stack
            stack.contexts.append(ObjectIdentifier(context))
            defer { stack.contexts.removeLast() }
            return try body()
        }
    }

    /// What the present queue or thread is called.
    static var here: String {
        if MainQueue.isCurrent { return "the main queue" }
        if let id = DispatchQueue.getSpecific(key: NSManagedObjectContext.queueKey) {
            return "the private queue of another context (\(id))"
        }
        return "a thread that is no context's (\(Thread.current.name.flatMap { $0.isEmpty ? nil : $0 } ?? "no name"))"
    }
}
