import FirnLog

/// The names of a model's entities and properties, for quick looking up.
struct ModelNames {
    private let entities: [EntityNumber: LogEntity]

    init(_ model: LogModel) {
        entities = Dictionary(model.entities.map { ($0.number, $0) }) { first, _ in first }
    }

    func entity(_ number: EntityNumber) -> String {
        entities[number]?.name ?? "entity \(number.rawValue)"
    }

    /// `Person/1`
    func object(_ key: ObjectKey) -> String { "\(entity(key.entity))/\(key.primaryKey)" }

    /// Nil for a number that the model does not have: then the log was written wrong.
    func property(_ slot: UInt16, of number: EntityNumber) -> LogProperty? {
        guard let properties = entities[number]?.properties, Int(slot) < properties.count else {
            return nil
        }
        return properties[Int(slot)]
    }
}

/// The models of a log, each read once.
struct ModelLibrary {
    private let log: SegmentLog
    private var names: [SequenceNumber: ModelNames] = [:]

    init(_ log: SegmentLog) { self.log = log }

    mutating func names(at sequence: SequenceNumber) throws -> ModelNames {
        if let known = names[sequence] { return known }
        let made = ModelNames(try log.model(at: sequence))
        names[sequence] = made
        return made
    }
}
