#if SwiftData
public import Foundation

/// The models that a fetch finds, and their order.
///
/// https://developer.apple.com/documentation/swiftdata/fetchdescriptor
public struct FetchDescriptor<T: PersistentModel> {
    /// The predicate that the models have to meet; nil for all.
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

/// Key paths do not change, though their type does not say so.
extension FetchDescriptor: @unchecked Sendable {}

/// The results of a fetch: the elements are made when they are asked for.
///
/// The identifiers are those at the time of the fetch.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
    private let count_: Int
    private let make: (Int) -> Element

    init(count: Int, _ make: @escaping (Int) -> Element) {
        count_ = count
        self.make = make
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count_ }
    public subscript(position: Int) -> Element {
        guard indices.contains(position) else {
            fatalError("there is no element \(position): the fetch found \(count_)")
        }
        return make(position)
    }
}
#endif
