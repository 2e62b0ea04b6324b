#if SwiftData
import Foundation

/// An executor that has a context.
public protocol ModelExecutor: Executor {
    /// The context.
    var modelContext: ModelContext { get }
}

/// An executor that has a context and runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs the jobs of an actor with a context, one at a time, on a queue of its own: there alone the context is used.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
    public final let modelContext: ModelContext
    private final let queue = DispatchQueue(label: "DefaultSerialModelExecutor")

    /// An executor for a context, which nobody else uses any more.
    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
        modelContext.setOwner(.queue(queue))
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// An actor with a context of its own: what `@ModelActor` makes of one.
public protocol ModelActor: Actor {
    /// The container of the context.
    nonisolated var modelContainer: ModelContainer { get }
    /// Runs the actor's jobs.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// The executor of the actor's jobs.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        guard let executor = modelExecutor as? any SerialModelExecutor else {
            fatalError("\(Self.self) needs a SerialModelExecutor: an actor runs one job at a time")
        }
        return executor.asUnownedSerialExecutor()
    }

    /// The actor's context.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// The model of an identifier; nil if it is of another class, or in no store.
    public subscript<T: PersistentModel>(id: PersistentIdentifier, as as: T.Type) -> T? {
        modelContext.existingModel(for: id) as? T
    }
}
#endif
