import Foundation

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
