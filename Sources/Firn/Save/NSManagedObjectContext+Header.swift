import FirnLog
import FirnStore

extension NSManagedObjectContext {
    /// The header of a record, which says who wrote it: the context at the root, whose changes a save of its children's
    /// would be.
    func transactionHeader(_ engine: StoreEngine) -> TransactionHeader {
        if let parent { return parent.performAndWait { parent.transactionHeader(engine) } }
        var header = TransactionHeader.ofProcess(date: engine.clock())
        header.author = transactionAuthor
        header.contextName = name
        if !transactionMetadata.isEmpty { header.metadata.merge(transactionMetadata) { $1 } }
        return header
    }
}
