/// A value that is handed to another thread, or shared with it, though its type does not promise that this is safe.
///
/// The place that makes one says why it is: mostly that the giving thread waits, or does not touch the value any more.
/// A closure is transferred alone, not within a tuple: Swift 6.3.1 releases a tuple's other parts once too often.
@frozen
public struct Transferred<Value>: @unchecked Sendable {
    public let value: Value

    @inlinable
    public init(_ value: Value) { self.value = value }

    /// The value, as one that nobody else has.
    @inlinable
    public consuming func release() -> sending Value {
        nonisolated(unsafe) let value = value
        return value
    }
}
