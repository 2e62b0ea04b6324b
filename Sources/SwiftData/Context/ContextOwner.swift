#if SwiftData
import Firn
import Foundation
import Synchronization

/// Where the owner of a context works: what other threads ask of the context runs there.
enum ContextOwner: Sendable {
    case queue(DispatchQueue)
    case actor(any Actor)
    /// Nobody said it. What others ask of the context waits until its owner uses it next.
    case unknown

    /// The main queue to who is on it; elsewhere nobody knows.
    static var current: ContextOwner { MainQueue.isCurrent ? .queue(.main) : .unknown }

    var isKnown: Bool { if case .unknown = self { false } else { true } }

    /// Runs a block where the owner works, after a delay. Does nothing if that is not known.
    func run(after delay: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue) where delay == .zero: queue.async(execute: body)
        case .queue(let queue): queue.asyncAfter(deadline: .now() + delay.seconds, execute: body)
        case .actor(let actor):
            Task {
                if delay != .zero { try? await Task.sleep(for: delay) }
                await Self.run(on: actor, body)
            }
        case .unknown: break
        }
    }

    private static func run(on actor: isolated any Actor, _ body: @Sendable () -> Void) { body() }
}

extension Duration {
    fileprivate var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}

/// A context, to other threads: they hand it work, which runs where the context's owner works.
final class ContextHandle: Sendable {
    private struct State: Sendable {
        var owner: ContextOwner
        /// Whether the context merges what others save by itself.
        var isFollowing = false
        var isMergeQueued = false
    }

    private final class Target: @unchecked Sendable {
        /// Read where the owner works.
        weak var context: ModelContext?
    }

    private let state: Mutex<State>
    private let target = Target()

    init(owner: ContextOwner) { state = Mutex(State(owner: owner)) }

    func set(_ context: ModelContext) { target.context = context }

    var owner: ContextOwner {
        get { state.withLock { $0.owner } }
        set { state.withLock { $0.owner = newValue } }
    }

    var isFollowing: Bool {
        get { state.withLock { $0.isFollowing } }
        set { state.withLock { $0.isFollowing = newValue } }
    }

    /// Runs a block where the owner works, later, unless the context is gone by then.
    func run(_ body: @escaping @Sendable (ModelContext) -> Void) {
        owner.run { [target] in
            if let context = target.context { body(context) }
        }
    }

    /// Runs a block on this thread, which has to be the owner's.
    func runHere(_ body: (ModelContext) -> Void) {
        if let context = target.context { body(context) }
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
#endif
