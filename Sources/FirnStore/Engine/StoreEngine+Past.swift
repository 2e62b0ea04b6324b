package import FirnLog
package import FirnProjection

extension StoreEngine {
    /// The state after a record, which must not have been cut off, in the terms of the model that was in force then.
    ///
    /// The first use in an epoch builds the versions of all its rows from the log, in a file of their own; later ones
    /// catch up.
    package func past(at sequence: SequenceNumber) throws -> (AsOfProjection, StoreSchema) {
        try past.reader(at: sequence)
    }

    /// Brings the history tables of the model in force up to date.
    func updateHistory() throws {
        _ = try past.historyFile(at: log.head)
    }

    /// The model that a record carries, with the store's numbers.
    func oldSchema(at sequence: SequenceNumber) throws -> StoreSchema {
        try StoreSchema(log.model(at: sequence), name: "\(log.directory), record \(sequence)")
    }
}
