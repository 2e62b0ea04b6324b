#if SwiftData
import Firn
import FirnRuntime

/// Core Data's side of a model context.
///
/// It belongs to no queue: who may use the model context may use it.
final class ModelManagedContext: NSManagedObjectContext, @unchecked Sendable {
    /// The model context, which retains this one.
    @WeaklyReferenced var owner: ModelContext?
    /// The origin of the fetch that is being made, for data stores of one's own.
    var query: (any DataStoreQuerying)?
    let evaluationFailure = EvaluationFailure()
}
#endif
