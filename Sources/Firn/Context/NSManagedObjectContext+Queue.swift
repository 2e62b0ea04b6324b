import FirnFoundation
import FirnModel
import FirnRuntime
import Foundation

/// Running work on the context's queue.
extension NSManagedObjectContext {
    static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Whether the caller is on the context's queue.
    var isOnQueue: Bool {
        switch concurrencyType {
        case .mainQueueConcurrencyType: MainQueue.isCurrent || RunningContexts.contains(self)
        case .privateQueueConcurrencyType:
            DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) || RunningContexts.contains(self)
        default: true
        }
    }

    /// Stops the program where the context has no queue to do what `work` says.
    func requireQueue(_ work: String) {
        guard concurrencyType != .confinementConcurrencyType else {
            fatalError("\(work) needs a context with a queue: make it with mainQueue or privateQueue")
        }
    }

    func enqueue(_ block: @escaping () -> Void) {
        requireQueue("perform")
        let block = Transferred(block)
        queue.async {
            self.asCurrent(block.value)
            self.processPendingChanges()
        }
    }

    /// Runs `block` on the context's queue, waits for it, and gives what it gives.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        if isOnQueue { return try asCurrent(block) }
        return try RunningContexts.wait(for: self) { try asCurrent(block) }
    }

    /// Runs `block` on the context's queue without blocking the caller.
    ///
    /// The block is `@Sendable`, so that the compiler does not bind it to the main actor where it is written in a class
    /// of that actor or in `main.swift`. What it captures is checked as before concurrency: by warnings.
    @preconcurrency
    public nonisolated func perform<T>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws -> T
    ) async rethrows -> T {
        if schedule == .immediate, isOnQueue { return try asCurrent(block) }
        let run = SingleRun(Instruments.carrying { try self.asCurrent(block) })
        let result: Result<T, any Error> = await withCheckedContinuation { continuation in
            queue.async {
                let result = Transferred(run())
                self.processPendingChanges()
                continuation.resume(returning: result.release())
            }
        }
        return try Self.value(of: result, block) { throw $0 }
    }

    /// Gives what `block` gave, or rethrows what it threw.
    static func value<T>(
        of result: Result<T, any Error>, _ block: () throws -> T, rescue: (any Error) throws -> T
    ) rethrows -> T {
        switch result {
        case .success(let value): return value
        case .failure(let error): return try rescue(error)
        }
    }

    /// When a block of `perform` runs.
    public enum ScheduledTaskType: Sendable {
        /// At once if the caller is already on the context's queue.
        case immediate
        /// At the end of the queue, always.
        case enqueued
    }

    /// The queue that a context uses.
    public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
        public typealias RawValue = NSManagedObjectContextConcurrencyType

        public var rawValue: NSManagedObjectContextConcurrencyType
        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }

        /// A queue of the context's own.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
    }

    /// In a main-queue context, processes pending changes at the end of the main queue's turn, as Core Data does at the
    /// end of the run loop's.
    func scheduleFlush() {
        guard concurrencyType == .mainQueueConcurrencyType, !isFlushScheduled else { return }
        isFlushScheduled = true
        DispatchQueue.main.async { [reference = WeakReference(self)] in
            guard let context = reference.object else { return }
            context.isFlushScheduled = false
            context.processPendingChanges()
        }
    }
}

/// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontextconcurrencytype
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The thread that made the context; no longer supported by Apple.
    case confinementConcurrencyType = 0
    /// A queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}
