#if SwiftData
import Firn
import FirnRuntime
import Foundation
import Synchronization

/// Saves the contexts that save by themselves when the process ends with `exit` or at the end of `main`.
///
/// A context is saved where its owner works. One whose owner is unknown is saved if the thread that ends the process is
/// the one that changed the context; else its error handler is called. So is that of an owner which does not save in
/// time. A process that a signal ends saves nothing.
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
    static func recordThread(of handle: ContextHandle) {
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
        let owner = handle.owner
        if owner.isCurrent || !owner.isKnown && thread == currentThread {
            return handle.runHere { $0.saveByItself() }
        }
        guard owner.isKnown else {
            return handle.runHere { context in
                guard context.hasChanges else { return }
                fail(context, "the process ends on another thread than the context's: set autosaveQueue to its queue")
            }
        }
        let done = DispatchSemaphore(value: 0)
        owner.run {
            handle.runHere { $0.saveByItself() }
            done.signal()
        }
        guard done.wait(timeout: .now() + timeout) == .timedOut else { return }
        // Whether it has changes is not asked: its owner may be using it.
        handle.runHere { fail($0, "the context's owner is at work, or ends the process itself: save before that") }
    }

    private static func fail(_ context: ModelContext, _ reason: String) {
        context.autosave.errorHandler?(SwiftDataError.unsavedChanges.because(reason))
    }
}
#endif
