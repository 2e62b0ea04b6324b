internal import FirnSQLite

extension Projection {
    /// The same tables in memory, as they are now. They have no part in these any more: what is written into one is not
    /// in the other. Complexity: O(pages); nothing is read row by row.
    package func copyInMemory() throws -> Projection {
        let copy = Projection(
            .memory, layout: layout, storeID: storeID, modelSequence: modelSequence, isReadOnly: false)
        let connection = try Self.configured(.memory, mode: .create)
        try readLatest { try $0.connection.copyPages(to: connection) }
        try copy.use(connection)
        return copy
    }
}
