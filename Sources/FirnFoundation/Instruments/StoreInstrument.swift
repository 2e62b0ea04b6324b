import Foundation
import Synchronization

/// The observer of what the stores of a process do. `FirnService` has one, for logs, metrics and traces.
package protocol StoreInstrument: Sendable {
    /// Runs `body`, which is the operation and fills in its outcome, and returns what it returns.
    func run<R>(_ operation: StoreOperation, _ body: (inout OperationOutcome) throws -> R) throws -> R

    /// The metadata of a record that the running operation writes: its trace.
    var metadata: [String: String] { get }

    /// Returns `block` as one that belongs to the caller's trace, whatever thread runs it.
    func carrying<R>(_ block: @escaping () throws -> R) -> () throws -> R

    /// Handles a report that no caller can be given as an error.
    func report(_ report: Report)
}

/// The instrument of the process.
package enum Instruments {
    private static let isInstalled = Atomic(false)
    private static let installed = Mutex<(any StoreInstrument)?>(nil)

    /// Nil unless one was installed: then it costs a look at a flag.
    package static var current: (any StoreInstrument)? {
        isInstalled.load(ordering: .acquiring) ? installed.withLock { $0 } : nil
    }

    /// Observes all stores from now on with `instrument`, in place of the one before.
    package static func install(_ instrument: (any StoreInstrument)?) {
        installed.withLock { $0 = instrument }
        isInstalled.store(instrument != nil, ordering: .releasing)
    }

    /// Returns `block` as one that belongs to the caller's trace, whatever thread runs it.
    package static func carrying<R>(_ block: @escaping () throws -> R) -> () throws -> R {
        current?.carrying(block) ?? block
    }
}

/// An operation of a store that an instrument observes.
package enum StoreOperation {
    case save
    case fetch(entity: String?)
    case count(entity: String?)
    case migration

    /// Runs an operation, observed if the process has an instrument.
    package static func run<R>(
        _ operation: @autoclosure () -> Self, _ body: (inout OperationOutcome) throws -> R
    ) throws -> R {
        if let instrument = Instruments.current { return try instrument.run(operation(), body) }
        var outcome = OperationOutcome()
        return try body(&outcome)
    }
}

/// The outcome of an operation, as far as it came.
package struct OperationOutcome {
    /// The number of the record that was written.
    package var record: UInt64?
    /// Bytes of the record's changes, before they are compressed.
    package var changeSize = 0
    /// Conflicts with other saves that were found, resolved or not.
    package var conflictCount = 0
    /// The objects, IDs or dictionaries that a fetch found.
    package var resultCount: Int?

    package init() {}
}

/// A report that no caller can be given as an error.
package struct Report: Sendable {
    package enum Level: Sendable { case info, warning, error }

    package let level: Level
    package let text: String

    /// Hands the report to the process's instrument. Without one, a line on standard error has it, after `prefix`.
    package static func post(_ text: String, _ level: Level = .warning, prefix: String = "Firn: ") {
        if let instrument = Instruments.current { return instrument.report(Report(level: level, text: text)) }
        // Standard error may be a file on a disk that is full.
        try? FileHandle.standardError.write(contentsOf: Data("\(prefix)\(text)\n".utf8))
    }
}
