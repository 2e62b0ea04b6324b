import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// The saving of one context's changes into one store, of whatever kind.
protocol StoreSaving: AnyObject {
    /// Writes the changes. On an error nothing was written, and the objects are as they were, but for what a merge
    /// policy resolved.
    func run() throws
    /// Objects whose changes a merge policy dropped: they are what the store has.
    var refreshed: [NSManagedObject] { get }
    /// The record that was written, if the store has a log and there was anything to write.
    var sequence: SequenceNumber? { get }
}
