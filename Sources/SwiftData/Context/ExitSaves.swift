#if SwiftData
import Firn
import FirnRuntime
import Foundation
import Synchronization

/// Saves the contexts that save by themselves when the process ends with `exit` or at the end of `main`.
///
/// A context is saved where its owner works. One whose owner is unknown is saved if the thread that ends the process is
/// the one that changed the context; else its error handler is called. A process that a signal ends saves nothing.
enum ExitSaves {
    private struct Entry: Sendable {
        let handle: WeakReference<ContextHandle>
        var thread: UInt?
    }

    /// How many seconds an owner at work is waited for.
    private static let timeout = 5.0
    private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])
    private static let registration: Void = { atexit { ExitSaves.run() } }()

    static func add(_ handle: ContextHandle) {
        _ = registration
        entries.withLock { entries in
            entries = entries.filter { $0.value.handle.object != nil }
            entries[ObjectIdentifier(handle)] = Entry(handle: WeakReference(handle), thread: currentThread)
        }
    }

    /// The context was changed on this thread.
    static func noteThread(of handle: ContextHandle) {
        if handle.owner.isKnown { return }
        entries.withLock { $0[ObjectIdentifier(handle)]?.thread = currentThread }
    }

    private static var currentThread: UInt { UInt(pthread_self()) }

    private static func run() {
        for entry in entries.withLock({ Array($0.values) }) {
            guard let handle = entry.handle.object else { continue }
            save(handle, entry.thread)
        }
    }

    private static func save(_ handle: ContextHandle, _ thread: UInt?) {
        switch handle.owner {
        case .queue(let queue) where queue === DispatchQueue.main && MainQueue.isCurrent:
            handle.runHere { $0.saveByItself() }
        case .unknown where thread == currentThread:
            handle.runHere { $0.saveByItself() }
        case .unknown:
            handle.runHere { context in
                guard context.hasChanges else { return }
                context.autosave.errorHandler?(
                    SwiftDataError.unsavedAtExit.because(
                        "the process ends on another thread than the context's: set autosaveQueue to where it is used"))
            }
        case .queue, .actor:
            let done = DispatchSemaphore(value: 0)
            handle.owner.run {
                handle.runHere { $0.saveByItself() }
                done.signal()
            }
            _ = done.wait(timeout: .now() + timeout)
        }
    }
}
#endif
