/// A block that is released as soon as it has run, with what it captured. The thread that waits for it finds that gone.
///
/// Unchecked: the thread that makes it hands it to the one that calls it, once, and does not use it any more.
public final class SingleRun<Value>: @unchecked Sendable {
    private var block: (() throws -> Value)?

    public init(_ block: @escaping () throws -> Value) { self.block = block }

    /// Runs the block, and releases it. Called once.
    public func callAsFunction() -> Result<Value, any Error> {
        guard let block else { fatalError("a block that runs once was run already") }
        self.block = nil
        return Result { try block() }
    }
}
