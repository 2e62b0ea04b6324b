#if SwiftData
public import Foundation

/// An answer of a data store in place of a result.
///
/// https://developer.apple.com/documentation/swiftdata/datastoreerror
public enum DataStoreError: LocalizedError, Equatable, Hashable {
    /// The store cannot do what it is asked.
    case unsupportedFeature
    /// The store cannot evaluate the predicate: it is asked without one, and the models are filtered in memory.
    case preferInMemoryFilter
    /// The store cannot sort: it is asked without an order, and the models are sorted in memory.
    case preferInMemorySort
    /// The predicate makes no sense to the store.
    case invalidPredicate

    public var errorDescription: String? {
        switch self {
        case .unsupportedFeature: "the data store cannot do what it is asked"
        case .preferInMemoryFilter: "the data store cannot evaluate the predicate; filter in memory"
        case .preferInMemorySort: "the data store cannot sort as it is asked; sort in memory"
        case .invalidPredicate: "the predicate makes no sense to the data store"
        }
    }
}
#endif
