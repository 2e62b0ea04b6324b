public import Foundation

/// Is told how far the opening of a store has come: an `OpeningProgress`.
public let PersistentStoreOpeningProgressOption = "PersistentStoreOpeningProgress"

/// Hears how far the opening of a store has come, which takes long when a machine brings the records of a shared log
/// for the first time, or tables are built from a large log. Ours, not Apple's.
public final class OpeningProgress: NSObject, Sendable {
    private let report: @Sendable (Double) -> Void

    /// - Parameter report: called with what is done of the present step, from 0 to 1, on the thread that opens the
    ///   store. Bringing records is one step, building tables another.
    public init(_ report: @escaping @Sendable (_ fraction: Double) -> Void) { self.report = report }

    /// The observer in the options of a store.
    package static func of(_ options: [AnyHashable: Any]?) -> (@Sendable (Double) -> Void)? {
        StoreOptions.openingProgress.value(in: options)?.report
    }
}
