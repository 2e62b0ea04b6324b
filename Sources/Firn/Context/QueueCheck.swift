import Foundation

/// Whether contexts and objects are held to their queues: a use elsewhere stops the program, with both queues named.
///
/// On in debug builds. What decides otherwise, in this order: the launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1` (or 0), as in Core Data, and the environment variable
/// `FIRN_CONCURRENCY_DEBUG`. Off, it costs a branch on a global.
enum QueueCheck {
    static let isOn = decide(CommandLine.arguments, ProcessInfo.processInfo.environment)

    static func decide(_ arguments: [String], _ environment: [String: String]) -> Bool {
        if let flag = arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug"), flag + 1 < arguments.count {
            return arguments[flag + 1] != "0"
        }
        if let value = environment["FIRN_CONCURRENCY_DEBUG"] { return value != "0" }
        #if DEBUG
            return true
        #else
            return false
        #endif
    }

    /// Stops the program for a use of `what`, which belongs to the context, on another queue.
    static func stop(_ context: NSManagedObjectContext, _ what: () -> String) -> Never {
        let name = context.name.map { "\"\($0)\"" } ?? "without a name"
        let own =
            context.concurrencyType == .mainQueueConcurrencyType
            ? "the main queue" : "the private queue of the context \(name)"
        fatalError(
            "\(what()) belongs to \(own), and was used on \(RunningContexts.here): use perform or performAndWait, and "
                + "take its objectID, not the object, to another context "
                + "(FIRN_CONCURRENCY_DEBUG=0 in the environment allows it)")
    }
}

extension NSManagedObjectContext {
    /// Call at the beginning of what belongs to the context's queue.
    @inline(__always)
    final func checkQueue() {
        if QueueCheck.isOn, !isOnQueue { QueueCheck.stop(self) { "the context \(name ?? "\(self)")" } }
    }
}

extension NSManagedObject {
    /// Call at the beginning of what belongs to the queue of the object's context.
    @inline(__always)
    final func checkQueue() {
        if QueueCheck.isOn, let context, !context.isOnQueue {
            QueueCheck.stop(context) { identity.uriRepresentation().absoluteString }
        }
    }
}
