import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The number of the process, asked of the system once.
public enum ProcessNumber {
    private static let forks = Atomic(0)
    private static let known = Atomic<UInt64>(0)

    private static let isWatchingForks: Bool = {
        pthread_atfork(nil, nil) { ProcessNumber.forks.add(1, ordering: .relaxed) }
        return true
    }()

    /// How often the process was forked off, and its parents before it, since one of them first asked.
    static var forkCount: Int {
        _ = isWatchingForks
        return forks.load(ordering: .relaxed)
    }

    public static var current: Int32 {
        // The fork's count above, the number below: a process that was forked off does not have its parent's.
        let forkCount = UInt64(truncatingIfNeeded: forkCount) &+ 1
        let kept = known.load(ordering: .relaxed)
        if kept >> 32 == forkCount & 0xFFFF_FFFF { return Int32(truncatingIfNeeded: kept) }
        let number = getpid()
        known.store(forkCount << 32 | UInt64(UInt32(bitPattern: number)), ordering: .relaxed)
        return number
    }
}
