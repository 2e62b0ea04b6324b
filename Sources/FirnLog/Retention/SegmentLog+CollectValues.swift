extension SegmentLog {
    /// Removes the files of values that no record and no baseline names any more. Returns how many there were.
    ///
    /// The records are read without the writer's lock; it is held for those that came meanwhile, and for removing.
    /// O(records), if there are any files.
    @discardableResult
    public func collectExternalValues() throws -> Int {
        let values = externalValues
        var unnamed = Set(try values.names())
        if unnamed.isEmpty { return 0 }
        var reader = try replay()
        func read() throws {
            while let record = try reader.next() {
                record.body.forEachExternalReference { unnamed.remove($0.fileName) }
            }
        }
        try read()
        return try withWriterLock { _ in
            reader = try replay(after: reader.position)
            try read()
            if !unnamed.isEmpty { try values.remove(unnamed) }
            return unnamed.count
        }
    }
}
