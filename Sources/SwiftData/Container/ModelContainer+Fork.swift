#if SwiftData
import CoreData

extension ModelContainer {
    /// A container whose stores are copies in memory of this one's, as they are now: a store for each test. Ours, not
    /// Apple's.
    ///
    /// The copies have what was saved. Models have the identifiers that they have here, and history tokens go on being
    /// valid. `configurations` are those of this container, and so are their URLs. It may be called on any thread,
    /// while others save. Throws if a store is a data store of one's own. See `NSPersistentContainer.fork()`.
    ///
    /// Complexity: O(pages of the tables); of a store on disk also O(bytes of the log and of large values).
    public final func fork() throws -> ModelContainer {
        do {
            return ModelContainer(self, on: try coordinator.fork())
        } catch {
            throw SwiftDataError.loadIssueModelContainer.because("the container cannot be forked: \(error)", error)
        }
    }
}
#endif
