/// The references that one thread still has to release.
///
/// An object that is destroyed releases the objects that it refers to, each of which may be destroyed within that. The
/// stack would have to be as long as the longest chain of objects. Below a depth, references are queued, and the
/// outermost release empties the queue.
package enum ReleaseQueue {
    private final class State {
        var depth = 0
        var references: [AnyObject] = []
    }

    /// Levels that are released within each other: a queue costs more than a call. One takes some hundred bytes of
    /// stack, and the smallest stacks have 512 kB.
    private static let depthMax = 64

    private static let states = ThreadLocal<State>()

    private static var state: State {
        if let state = states.object { return state }
        let state = State()
        states.set(state)
        return state
    }

    /// Releases the reference in `place`, now or before the outermost release returns.
    package static func release(_ place: UnsafeMutablePointer<AnyObject>) {
        let state = state
        if state.depth >= depthMax {
            state.references.append(place.move())
            return
        }
        state.depth += 1
        place.deinitialize(count: 1)
        if state.depth == 1 {
            while let reference = state.references.popLast() { withExtendedLifetime(reference) {} }
        }
        state.depth -= 1
    }
}
