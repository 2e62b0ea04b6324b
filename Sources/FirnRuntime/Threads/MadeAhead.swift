import Dispatch
import Foundation

/// A value that another thread makes, unless somebody needs it before one has begun.
package final class MadeAhead<Value>: @unchecked Sendable {
    /// Over all that follows.
    private let condition = NSCondition()
    private var make: (() -> Value)?
    private var made: Value?
    private var isMaking = false

    package init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
        DispatchQueue.global(qos: .userInitiated).async { self.run() }
    }

    private func run() {
        condition.lock()
        defer { condition.unlock() }
        makeNow()
    }

    /// Under the lock, which it gives up meanwhile.
    private func makeNow() {
        guard let make else { return }
        self.make = nil
        isMaking = true
        condition.unlock()
        let value = make()
        condition.lock()
        made = value
        isMaking = false
        condition.broadcast()
    }

    /// The value, made here if no other thread has begun. Not to be called after `cancel()`.
    package func value() -> Value {
        condition.lock()
        defer { condition.unlock() }
        makeNow()
        while true {
            if let made { return made }
            guard isMaking else {
                fatalError("nobody makes what was given up")
            }
            condition.wait()
        }
    }

    /// Cancels what is not made yet: nothing is made any more when this returns.
    package func cancel() {
        condition.lock()
        defer { condition.unlock() }
        make = nil
        while isMaking { condition.wait() }
        made = nil
    }
}
