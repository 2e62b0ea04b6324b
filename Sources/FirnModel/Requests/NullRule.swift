/// The results of comparisons with null in a store, where memory and SQL differ.
///
///     name != "x", name is null       store: not returned (as in Core Data)      memory: returned
///     NOT (name == "x"), name is null store: not returned                        memory: returned
public enum NullRule: Hashable, Sendable {
    /// As Core Data's SQLite store: a comparison with null is neither true nor false.
    case store
    /// As `NSPredicate.evaluate(with:)`: null is a value that is different from all others.
    case memory
}
