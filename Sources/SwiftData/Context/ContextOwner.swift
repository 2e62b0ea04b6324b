#if SwiftData
import Firn
import FirnFoundation
import FirnRuntime
import Foundation
import Synchronization

/// Where the owner of a context works: what other threads ask of the context runs there.
enum ContextOwner: Sendable {
    case queue(DispatchQueue)
    case actor(ActorReference)
    /// Nobody said it. What others ask of the context waits until its owner uses it next.
    case unknown

    /// The main queue to who is on it; elsewhere nobody knows.
    static var current: ContextOwner { MainQueue.isCurrent ? .queue(.main) : .unknown }

    /// The main actor's jobs run on the main queue.
    static func of(_ actor: any Actor) -> ContextOwner {
        actor is MainActor ? .queue(.main) : .actor(ActorReference(actor))
    }

    var isKnown: Bool {
        switch self {
        case .queue: true
        case .actor(let reference): reference.actor != nil
        case .unknown: false
        }
    }

    /// Whether this is the owner's queue. False on an actor: nobody can tell.
    var isCurrent: Bool { if case .queue(let queue) = self { QueueMark.isCurrent(queue) } else { false } }

    /// Runs a block where the owner works, after a delay. Does nothing if that is not known.
    func run(after delay: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue) where delay == .zero: queue.async(execute: body)
        case .queue(let queue): queue.asyncAfter(deadline: .now() + delay.seconds, execute: body)
        case .actor(let reference):
            guard let actor = reference.actor else { return }
            Task {
                if delay != .zero { try? await Task.sleep(for: delay) }
                await Self.run(on: actor, body)
            }
        case .unknown: break
        }
    }

    private static func run(on actor: isolated any Actor, _ body: @Sendable () -> Void) { body() }
}

/// An actor that is not retained: it may have the context whose owner it is.
final class ActorReference: Sendable {
    weak let actor: (any Actor)?

    init(_ actor: any Actor) { self.actor = actor }
}

/// Tells whether code runs on a queue. A `DispatchQueue` is another object each time that the main queue is asked for,
/// so queues are told apart by a mark.
private enum QueueMark {
    private static let key = DispatchSpecificKey<Int>()
    private static let lastMark = Mutex(0)

    static func isCurrent(_ queue: DispatchQueue) -> Bool {
        let mark = mark(queue)
        return DispatchQueue.getSpecific(key: key) == mark || mark == self.mark(.main) && MainQueue.isCurrent
    }

    private static func mark(_ queue: DispatchQueue) -> Int {
        lastMark.withLock { lastMark in
            if let mark = queue.getSpecific(key: key) { return mark }
            lastMark += 1
            queue.setSpecific(key: key, value: lastMark)
            return lastMark
        }
    }
}

extension Duration {
    fileprivate var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}

/// A context, to other threads: they hand it work, which runs where the context's owner works.
final class ContextHandle: Sendable {
    private struct State: Sendable {
        /// Transferred: read where the owner works.
        var context: Transferred<WeakReference<ModelContext>>?
        var owner: ContextOwner
        /// Counts the owners: what was handed to an earlier one does not run.
        var ownerNumber = 0
        /// Whether the context merges what others save by itself.
        var isFollowing = false
        var isMergeQueued = false
    }

    private let state: Mutex<State>

    init(owner: ContextOwner) { state = Mutex(State(owner: owner)) }

    /// Where the owner works.
    var context: ModelContext? {
        get { state.withLock { $0.context }?.value.object }
        set {
            let reference = newValue.map { Transferred(WeakReference($0)) }
            state.withLock { $0.context = reference }
        }
    }

    var owner: ContextOwner {
        get { state.withLock { $0.owner } }
        set {
            state.withLock { state in
                state.owner = newValue
                state.ownerNumber += 1
                state.isMergeQueued = false
            }
        }
    }

    var isFollowing: Bool {
        get { state.withLock { $0.isFollowing } }
        set { state.withLock { $0.isFollowing = newValue } }
    }

    /// Runs a block where the owner works, later.
    func run(_ body: @escaping @Sendable (ModelContext) -> Void) { owner.run(work(body)) }

    /// A block to be run where the owner works. It does nothing if the context is gone by then, or has another owner.
    func work(_ body: @escaping @Sendable (ModelContext) -> Void) -> @Sendable () -> Void {
        let number = state.withLock { $0.ownerNumber }
        return { [self] in
            if state.withLock({ $0.ownerNumber }) == number { runHere(body) }
        }
    }

    /// Runs a block on this thread, which has to be the owner's.
    func runHere(_ body: (ModelContext) -> Void) {
        if let context { body(context) }
    }

    /// There is something in the inbox. A context that follows merges it soon, others when they are next used.
    func changesArrived() {
        let isDue = state.withLock { state in
            guard state.isFollowing, state.owner.isKnown, !state.isMergeQueued else { return false }
            state.isMergeQueued = true
            return true
        }
        guard isDue else { return }
        run { context in
            context.handle.state.withLock { $0.isMergeQueued = false }
            context.mergeArrived()
        }
    }
}

/// Notices, in debug builds, that two threads use a context at one time. A context has no lock: what they change may be
/// lost, or stop the program elsewhere.
final class ContextUse: Sendable {
    #if DEBUG
        /// The thread that uses the context; 0 for none.
        private let thread = Atomic<UInt>(0)
        private let isReported = Atomic(false)
    #endif

    @inline(__always)
    func during<R>(_ use: StaticString, _ body: () throws -> R) rethrows -> R {
        #if DEBUG
            let own = UInt(pthread_self())
            let user = thread.compareExchange(expected: 0, desired: own, ordering: .relaxed).original
            if user != 0 {
                if user != own { report(use) }
                return try body()
            }
            defer { thread.store(0, ordering: .relaxed) }
        #endif
        return try body()
    }

    #if DEBUG
        /// Once for each context.
        private func report(_ use: StaticString) {
            guard !isReported.exchange(true, ordering: .relaxed) else { return }
            Report.post(
                "\(use) was called while another thread used the same ModelContext: make a context for each actor or "
                    + "thread, and send persistentModelIDs between them", prefix: "SwiftData: ")
        }
    #endif
}

/// Core Data's side of a model context.
///
/// It belongs to no queue: who may use the model context may use it, and nobody else does.
final class ModelManagedContext: NSManagedObjectContext, @unchecked Sendable {
    /// The model context, which retains this one.
    @WeaklyReferenced var owner: ModelContext?
    /// The origin of the fetch that is being made, for data stores of one's own.
    var query: (any DataStoreQuerying)?
    let evaluationFailure = EvaluationFailure()
}
#endif
