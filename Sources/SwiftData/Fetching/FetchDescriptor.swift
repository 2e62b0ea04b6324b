#if SwiftData
public import Foundation

/// Which models a fetch finds, and in which order.
///
/// https://developer.apple.com/documentation/swiftdata/fetchdescriptor
public struct FetchDescriptor<T: PersistentModel> {
    /// What the models have to meet; nil for all.
    public var predicate: Predicate<T>?
    /// The order; without one, that in which the models were saved.
    public var sortBy: [SortDescriptor<T>]
    /// How many models are found at most.
    public var fetchLimit: Int?
    /// How many models are left out at the beginning.
    public var fetchOffset: Int?
    /// Whether unsaved changes count.
    public var includePendingChanges = true
    /// The properties that are read with the fetch; empty for all.
    public var propertiesToFetch: [PartialKeyPath<T>] = []
    /// The relationships whose models are read with the fetch.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

    /// The models that meet a predicate, in an order.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

extension FetchDescriptor: @unchecked Sendable {}
#endif
