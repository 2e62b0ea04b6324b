extension SegmentLog {
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

    public func remove(_ references: [ExternalReference]) throws {
        try withWriterLock { _ in
            let values = externalValues
            try values.remove(references.filter(values.has).map(\.fileName))
        }
    }
}
