import FirnLog
import FirnStore
import Foundation

extension NSManagedObjectContext {
    private static let processName = ProcessInfo.processInfo.processName
    private static let bundleID = Bundle.main.bundleIdentifier

    /// The header of a record, which says who wrote it: the context at the root, whose changes a save of its children's
    /// would be.
    func transactionHeader(_ engine: StoreEngine) -> TransactionHeader {
        if let parent { return parent.performAndWait { parent.transactionHeader(engine) } }
        return TransactionHeader(
            date: engine.clock(), id: .random(), author: transactionAuthor, contextName: name,
            processName: Self.processName, processID: ProcessNumber.current, bundleID: Self.bundleID,
            metadata: transactionMetadata)
    }
}
