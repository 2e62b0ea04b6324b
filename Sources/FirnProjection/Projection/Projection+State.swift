package import FirnLog

extension Projection {
    /// Reads the state after an older record: builds its tables in a side file, reads them, and removes the file.
    ///
    /// `schema` is that of the model in force then, which record `modelSequence` carries, or one with the same terms.
    /// `feed` calls its argument with everything up to that record, as for a rebuild.
    ///
    /// Complexity: that of a rebuild up to there.
    package func withState<R>(
        _ schema: StoreSchema, _ modelSequence: SequenceNumber,
        _ feed: (_ apply: (LogRecord) throws -> Void) throws -> Void, _ body: (ProjectionReader) throws -> R
    ) throws -> R {
        let side: ProjectionLocation = location.path.map { .file(Self.statePath($0)) } ?? .memory
        if let path = side.path { Self.remove(path) }
        defer { if let path = side.path { Self.remove(path) } }
        let (state, _) = try Self.open(
            side, schema: schema, storeID: storeID, modelSequence: modelSequence, head: 1)
        try state.rebuild(feed)
        return try state.read(body)
    }

    private static func statePath(_ path: String) -> String { path + ".state" }

    /// Removes the side files of programs that were killed. They may hold data that was erased from the log.
    static func removeState(of path: String) {
        remove(MigratedProjection.sidePath(path))
        remove(statePath(path))
        remove(rebuildPath(statePath(path)))
    }
}
