import Foundation
import Synchronization

/// Lets children of main-queue contexts reach their parents while the main queue waits for one of these children.
///
///     main queue      child.performAndWait ── waits ──▶ serves ──▶ runs the block in the child
///     child's queue   a fetch or a merge that runs already ── asks the parent ──┘
///
/// With `DispatchQueue.sync` on both sides each would wait for the other for ever. Here the main queue runs what the
/// child's queue asks of its ancestors until the child's queue is free. Between two private queues it is as in Core
/// Data: a block on the parent's queue must not wait for a child that may be reading.
enum MainQueueLending {
    /// A turn on a queue that another thread waits for: to run a block on the main queue, or to hold a child's queue.
    /// Guarded by `condition`, but for the block, which is run by the thread that began the turn.
    private final class Turn: @unchecked Sendable {
        /// Nil once it has run, so that nothing keeps what the caller lent.
        var run: (() -> Void)?
        var hasBegun = false
        var isOver = false

        init(_ run: (() -> Void)? = nil) { self.run = run }
    }

    private static let condition = NSCondition()
    /// The turns that wait for the main queue. Appended to with `condition` locked, so that no thread misses a turn.
    private static let waiting = Mutex<[Turn]>([])

    /// Whether the caller holds the main queue, and the context may ask for it while the caller waits.
    static func isNeeded(by context: NSManagedObjectContext) -> Bool {
        guard context.parent != nil, MainQueue.isCurrent else { return false }
        return context.hasAncestor { $0.concurrencyType == .mainQueueConcurrencyType }
    }

    /// Waits on the main queue until the context's queue is free, serving its requests meanwhile, and holds that queue
    /// while `body` runs.
    static func hold<R>(_ context: NSManagedObjectContext, _ body: () throws -> R) rethrows -> R {
        let hold = Turn()
        context.queue.async {
            condition.lock()
            hold.hasBegun = true
            condition.broadcast()
            while !hold.isOver { condition.wait() }
            condition.unlock()
        }
        serve(until: hold)
        defer {
            condition.lock()
            hold.isOver = true
            condition.broadcast()
            condition.unlock()
        }
        return try body()
    }

    private static func serve(until hold: Turn) {
        condition.lock()
        defer { condition.unlock() }
        while !hold.hasBegun {
            guard let turn = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                condition.wait()
                continue
            }
            perform(turn)
        }
    }

    /// Runs `body` on the main queue and waits: by the queue's own turn, or by the thread that holds it and serves. For
    /// callers on the queue of a child of a main-queue context.
    static func runOnMainQueue(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            let turn = Turn(body)
            condition.lock()
            waiting.withLock { $0.append(turn) }
            condition.broadcast()
            condition.unlock()
            DispatchQueue.main.async { runIfWaiting(turn) }
            condition.lock()
            while !turn.isOver { condition.wait() }
            condition.unlock()
        }
    }

    private static func runIfWaiting(_ turn: Turn) {
        condition.lock()
        defer { condition.unlock() }
        if turn.hasBegun { return }
        waiting.withLock { $0.removeAll { $0 === turn } }
        perform(turn)
    }

    /// Runs a turn that waits no longer. The caller holds the lock, which is free while it runs.
    private static func perform(_ turn: Turn) {
        turn.hasBegun = true
        condition.unlock()
        turn.run?()
        condition.lock()
        turn.run = nil
        turn.isOver = true
        condition.broadcast()
    }
}

extension NSManagedObjectContext {
    /// Whether a context above this one is as asked.
    func hasAncestor(_ isWanted: (NSManagedObjectContext) -> Bool) -> Bool {
        var ancestor = parent
        while let context = ancestor {
            if isWanted(context) { return true }
            ancestor = context.parent
        }
        return false
    }
}

/// Whether the caller is on the main queue.
///
/// Not the same as the main thread: in a program whose `main` is asynchronous, libdispatch runs the main queue on Linux
/// on threads of its pool, and the first thread is gone.
package enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    package static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: key) ?? (Thread.isMainThread || RunningContexts.holdsMainQueue)
    }
}
