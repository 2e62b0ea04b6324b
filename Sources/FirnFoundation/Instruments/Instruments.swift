import Synchronization

/// The instrument of the process.
package enum Instruments {
    private static let isInstalled = Atomic(false)
    private static let installed = Mutex<(any Instrument)?>(nil)

    /// Nil unless one was installed: then it costs a look at a flag.
    package static var current: (any Instrument)? {
        isInstalled.load(ordering: .acquiring) ? installed.withLock { $0 } : nil
    }

    /// Observes all stores from now on with `instrument`, in place of the one before.
    package static func install(_ instrument: (any Instrument)?) {
        installed.withLock { $0 = instrument }
        isInstalled.store(instrument != nil, ordering: .releasing)
    }

    /// Returns `block` as one that belongs to the caller's trace, whatever thread runs it.
    package static func carrying<R>(_ block: @escaping () throws -> R) -> () throws -> R {
        current?.carrying(block) ?? block
    }
}
