package import FirnLog

extension Projection {
    /// Opens the projection of a store; see `open(_:layout:storeID:modelSequence:head:isReadOnly:)`.
    ///
    /// `modelSequence` is the record of the log that carries `schema.logModel`, `head` the log's last record, read
    /// again.
    package static func open(
        _ location: ProjectionLocation, schema: StoreSchema, storeID: String,
        modelSequence: SequenceNumber, head: @autoclosure () throws -> SequenceNumber, readOnly: Bool = false,
        link: ((SequenceNumber) throws -> ChainValue?)? = nil
    ) throws -> (Projection, ProjectionState) {
        try open(
            location, layout: schema.layout, storeID: storeID, modelSequence: modelSequence,
            head: try head(), isReadOnly: readOnly, link: link)
    }
}
