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

/// A store that does something of its own in every save into its engine.
protocol SaveParticipant: NSPersistentStore {
    /// Whether it has something to do in the next save.
    var hasPart: Bool { get }
    /// New objects of one root entity will have this key and those that follow.
    func willAssign(_ first: Int64, to objects: [NSManagedObject])
    /// The objects have their keys, and no conflicts. What is thrown fails the save.
    func write(inserted: [NSManagedObject], updated: [NSManagedObject], deleted: [NSManagedObject]) throws
    /// The save failed after all.
    func rollBack()
}
