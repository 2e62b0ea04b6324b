/// Values that are kept outside of records, on their way from one log to another. They are there before the records
/// that name them.
extension ChangeLog {
    /// The values that frames of this log name.
    func externalReferences(in run: FrameRun) throws -> Set<ExternalReference> {
        guard try !run.isEmpty && hasExternalValues else { return [] }
        var named: Set<ExternalReference> = []
        let decoder = FrameDecoder()
        for frame in run.frames where frame.mayNameExternalValues {
            named.formUnion(try decoder.record(frame, of: run, place: place).body.externalReferences)
        }
        return named
    }

    /// Brings every value: for a log that begins with a baseline.
    func copyExternalValues(from source: any ChangeLog) throws {
        try copyValues(source.externalReferences(), from: source)
    }

    /// Brings those that are not here.
    func copyValues(_ references: some Sequence<ExternalReference>, from source: any ChangeLog) throws {
        for reference in references where try !holds(reference) {
            try store(reference) { offset in
                try source.externalValue(reference, from: offset, sizeMax: ExternalValues.pieceSize)
            }
        }
    }
}

extension FrameRun.Frame {
    /// Whether there is room for a reference in its payload.
    fileprivate var mayNameExternalValues: Bool {
        (kind == .changes || kind == .model) && header.rawSize >= Format.externalReferenceSize
    }
}

extension SegmentLog {
    /// The values that are kept in files of their own.
    public var externalValues: ExternalValues {
        // A copy's records are fetched again after a loss of power; its values are not, so they are synced.
        ExternalValues(
            logDirectory: directory, fileSystem: fileSystem, durability: isCopy ? .synced : options.durability)
    }

    /// Whether records may name values that are in files of their own, and so not in the records.
    public var hasExternalValues: Bool {
        get throws { try !externalValues.names().isEmpty }
    }

    public func externalReferences() throws -> [ExternalReference] { try externalValues.references() }

    public func holds(_ reference: ExternalReference) -> Bool { externalValues.has(reference) }

    public func externalValue(
        _ reference: ExternalReference, from offset: Int64, sizeMax: Int
    ) throws -> [UInt8] {
        try externalValues.piece(of: reference, from: offset, sizeMax: sizeMax)
    }

    /// Its name is durable too.
    public func store(_ reference: ExternalReference, piece: (_ offset: Int64) throws -> [UInt8]) throws {
        try externalValues.store(reference, piece: piece)
        try externalValues.syncNames()
    }

    public func remove(_ references: [ExternalReference], endingAt end: LogCheckpoint) throws -> Bool {
        try exclusively {
            guard known.link == end.link else { return false }
            let values = externalValues
            try values.remove(references.filter(values.has).map(\.fileName))
            return true
        }
    }
}
