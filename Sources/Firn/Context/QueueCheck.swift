import FirnFoundation
import Foundation
import Synchronization

/// Whether contexts and objects are held to their queues: a use elsewhere stops the program, with both queues named.
///
/// Off unless asked for, as in Core Data: by the launch argument `-com.apple.CoreData.ConcurrencyDebug 1`, or by
/// `FIRN_CONCURRENCY_DEBUG=1` in the environment. Not asked for, a debug build says each place once on standard error;
/// 0 silences it. Off, it costs a branch on a global.
enum QueueCheck {
    /// The answer to a use elsewhere.
    enum Answer { case none, message, stop }

    static let answer = decide()
    static let isOn = answer != .none

    private static func decide() -> Answer {
        let (arguments, key) = (CommandLine.arguments, "com.apple.CoreData.ConcurrencyDebug")
        if let flag = arguments.firstIndex(of: "-" + key), flag + 1 < arguments.count {
            return arguments[flag + 1] == "0" ? .none : .stop
        }
        if let value = ProcessInfo.processInfo.environment["FIRN_CONCURRENCY_DEBUG"] {
            return value == "0" ? .none : .stop
        }
        #if DEBUG
            // A server's release build has no use for a file of settings.
            if UserDefaults.standard.object(forKey: key) != nil {
                return UserDefaults.standard.bool(forKey: key) ? .stop : .none
            }
            return .message
        #else
            return .none
        #endif
    }

    /// Answers a use of `what`, which belongs to the context, on another queue.
    static func answer(_ context: NSManagedObjectContext, _ what: () -> String) {
        if answer == .message, !isNew(Thread.callStackReturnAddresses.map(\.uintValue)) { return }
        let name = context.name.map { "\"\($0)\"" } ?? "without a name"
        let own =
            context.concurrencyType == .mainQueueConcurrencyType
            ? "the main queue" : "the private queue of the context \(name)"
        let message =
            "\(what()) belongs to \(own), and was used on \(RunningContexts.here): use perform or performAndWait, and "
            + "take its objectID, not the object, to another context"
        if answer == .stop { fatalError(message) }
        Report.post(
            "\(message) (FIRN_CONCURRENCY_DEBUG=1 in the environment stops here, 0 says nothing)", prefix: "CoreData: ")
    }

    /// The return addresses outside of the checking method, of uses that were told of. Within one call of the framework
    /// all checks have those of the first.
    private static let places = Mutex<(known: Set<ArraySlice<UInt>>, lookCount: Int)>(([], 0))
    /// How many addresses tell a place.
    private static let depth = 12
    /// The addresses inside: Foundation's, this function's, `checkQueue`'s, and that of the method which checks.
    private static let innerCount = 4
    /// Bounds the time that a program loses which never uses a queue: a look takes some ten microseconds.
    private static let lookCountMax = 10_000

    /// Whether no message told of the place of the caller's caller. `stack` begins with the innermost address.
    private static func isNew(_ stack: [UInt]) -> Bool {
        places.withLock { places in
            guard places.lookCount < lookCountMax else { return false }
            places.lookCount += 1
            for first in stack.indices.dropFirst(innerCount)
            where places.known.contains(stack[first...].prefix(depth)) { return false }
            return places.known.insert(stack.dropFirst(innerCount).prefix(depth)).inserted
        }
    }
}

extension NSManagedObjectContext {
    /// Call at the beginning of what belongs to the context's queue.
    @inline(__always)
    final func checkQueue() {
        if QueueCheck.isOn, !isOnQueue { QueueCheck.answer(self) { "the context \(name ?? "\(self)")" } }
    }
}

extension NSManagedObject {
    /// Call at the beginning of what belongs to the queue of the object's context.
    @inline(__always)
    final func checkQueue() {
        if QueueCheck.isOn, let context, !context.isOnQueue {
            QueueCheck.answer(context) { identity.uriRepresentation().absoluteString }
        }
    }
}
