import Dispatch
import Foundation

/// Runs `body` on so many threads of their own, with numbers from 0, and returns when all are done.
package func runThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread.detachNewThread {
            body(number)
            group.leave()
        }
    }
    group.wait()
}
