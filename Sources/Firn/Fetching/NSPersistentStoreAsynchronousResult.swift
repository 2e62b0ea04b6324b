import FirnStore
import FirnProjection
public import Foundation
import Synchronization

/// The result of a request that is still being answered.
/// https://developer.apple.com/documentation/coredata/nspersistentstoreasynchronousresult
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that executed the request.
    open private(set) var managedObjectContext: NSManagedObjectContext
    let monitor: FetchMonitor
    private let ownProgress: Progress
    private let error = Mutex<(any Error)?>(nil)

    /// The progress is a child of the current one of the calling thread, if there is one.
    init(_ context: NSManagedObjectContext, expecting count: Int) {
        managedObjectContext = context
        let progress = Progress(totalUnitCount: count > 0 ? Int64(count) : -1)
        let monitor = FetchMonitor { progress.completedUnitCount = Int64($0) }
        progress.cancellationHandler = { monitor.cancel() }
        ownProgress = progress
        self.monitor = monitor
        super.init()
    }

    /// Counts the rows as they are read. Cancelling it, or the progress above it, cancels the request.
    open var progress: Progress? { ownProgress }

    /// Why there is no result. After a cancellation its code is `NSUserCancelledError`.
    open var operationError: (any Error)? { error.withLock { $0 } }

    /// Stops the request. The completion block is still called, with an error, unless the request was finished.
    open func cancel() {
        monitor.cancel()
        ownProgress.cancel()
    }

    /// A progress calls its cancellation handler later than its property says so.
    var isCancelled: Bool { monitor.isCancelled || ownProgress.isCancelled }

    func complete(count: Int, error failure: (any Error)?) {
        if let failure {
            error.withLock {
                $0 = failure is FetchCancelled
                    ? CoreDataError.make(.userCancelled, "the asynchronous fetch was cancelled") : failure
            }
            return
        }
        ownProgress.totalUnitCount = Int64(count)
        ownProgress.completedUnitCount = Int64(count)
    }
}
