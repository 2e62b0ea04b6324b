package import FirnLog

extension TemporalProjection {
    /// Opens or makes the temporal projection of a store; see `init(_:layout:storeID:modelSequence:)`.
    package convenience init(
        _ location: ProjectionLocation, schema: StoreSchema, storeID: String,
        modelSequence: SequenceNumber
    ) throws {
        try self.init(
            location, layout: schema.layout, storeID: storeID, modelSequence: modelSequence)
    }
}
