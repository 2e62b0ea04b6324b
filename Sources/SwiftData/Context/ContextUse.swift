#if SwiftData
import Foundation
import Synchronization

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
            let text = "SwiftData: \(use) was called while another thread used the same ModelContext: make a context "
                + "for each actor or thread, and send persistentModelIDs between them\n"
            FileHandle.standardError.write(Data(text.utf8))
        }
    #endif
}
#endif
