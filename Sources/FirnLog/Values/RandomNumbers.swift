import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Random numbers that are asked of the system many at a time: a save needs two, and each call takes a hundredth of it.
package struct RandomNumbers {
    private static let shared = Mutex(RandomNumbers())

    private var numbers: [UInt64] = []
    /// How often the process had been forked off when they were drawn.
    private var forkCount = 0

    package init() {}

    static func transactionID() -> TransactionID {
        let forkCount = ProcessNumber.forkCount
        return shared.withLock { $0.transactionID(forkCount: forkCount, drawing: draw) }
    }

    /// Discards the numbers that were drawn before a fork: the parent process uses them too.
    ///
    /// - Parameter draw: gives an even count of random numbers, none of which it gives again.
    package mutating func transactionID(forkCount: Int, drawing draw: () -> [UInt64]) -> TransactionID {
        if numbers.isEmpty || forkCount != self.forkCount {
            numbers = draw()
            self.forkCount = forkCount
        }
        return TransactionID(high: numbers.removeLast(), low: numbers.removeLast())
    }

    /// In one call, which gives 256 bytes at most (https://man7.org/linux/man-pages/man3/getentropy.3.html).
    private static func draw() -> [UInt64] {
        var numbers = [UInt64](repeating: 0, count: 32)
        let status = numbers.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        if status == 0 { return numbers }
        // Kernels older than the call.
        var generator = SystemRandomNumberGenerator()
        return numbers.map { _ in generator.next() }
    }
}
