import FirnLog
import FirnProjection

/// A copy of a store in memory, which is a store of its own from then on.
///
///     source   1 2 3 4 5 6 ──► 7 8          the log's files, which share their bytes until one of the two is written,
///                      └─────► 7 8 9        and the pages of the tables: no record is replayed, no row is read
extension StoreEngine {
    /// Copies the log and the tables, as they are after the last record. The copy has the store's UUID, history and
    /// keys. Other programs and threads wait for it as for a save; a store that is open for reading keeps nobody
    /// waiting.
    ///
    /// Complexity: O(pages of the tables), and O(bytes of the log) if that is on disk.
    package func fork(isShared: Bool) throws -> MemoryLogFiles {
        guard log.isWritable else {
            // The tables first: the log has every record that they have.
            try refresh()
            return try copyInMemory(isShared)
        }
        return try exclusively { _ in try copyInMemory(isShared) }
    }

    private func copyInMemory(_ isShared: Bool) throws -> MemoryLogFiles {
        let tables = CopiedTables(try projection.copyInMemory(), schema, modelSequence)
        let files = MemoryFileSystem()
        try log.copyFiles(to: StoreOpening.memoryDirectory, on: files)
        return MemoryLogFiles(files, isShared: isShared, tables: tables)
    }
}
