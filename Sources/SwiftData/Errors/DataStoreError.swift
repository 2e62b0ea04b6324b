#if SwiftData
/// What a data store answers instead of a result.
///
/// https://developer.apple.com/documentation/swiftdata/datastoreerror
public enum DataStoreError: Error, Equatable, Hashable {
    /// The store cannot do what it is asked.
    case unsupportedFeature
    /// The store cannot evaluate the predicate: it is asked without one, and the models are filtered in memory.
    case preferInMemoryFilter
    /// The store cannot sort: it is asked without an order, and the models are sorted in memory.
    case preferInMemorySort
    /// The predicate makes no sense to the store.
    case invalidPredicate
}
#endif
