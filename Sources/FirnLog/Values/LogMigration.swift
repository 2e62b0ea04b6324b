/// How a store came from the model before to the model that carries this: what reads older change sets in newer terms,
/// and what a rebuild does to the tables when it comes to the record.
///
/// The mapping is stored in full. A later version that maps the same two models in another way still builds the same
/// tables from it.
public struct LogMigration: Hashable, Sendable {
    /// The record of the model before.
    public var source: SequenceNumber
    /// The highest entity number that the store has given so far, also to entities that are gone.
    public var highestNumber: EntityNumber
    /// The entities that have a past, by number. Nil if entities and slots mean what they meant: then only the
    /// document differs, and no table changes.
    public var entities: [EntityMigration]?
    /// All objects after the migration, as insertions in terms of the new model, if a mapping alone cannot tell. The
    /// tables begin empty then.
    public var rows: ChangeSet?

    public init(
        source: SequenceNumber, highestNumber: EntityNumber, entities: [EntityMigration]?,
        rows: ChangeSet? = nil
    ) {
        self.source = source
        self.highestNumber = highestNumber
        self.entities = entities
        self.rows = rows
    }

    /// Whether change sets in terms of the model before are in terms of the new one too.
    public var keepsTerms: Bool { entities == nil }

    /// Complexity: O(log entities).
    public func entity(_ number: EntityNumber) -> EntityMigration? {
        guard let entities else { return nil }
        var (low, high) = (0, entities.count)
        while low < high {
            let middle = (low + high) / 2
            if entities[middle].entity < number { low = middle + 1 } else { high = middle }
        }
        return low < entities.count && entities[low].entity == number ? entities[low] : nil
    }
}

/// The migration of one entity's objects. The number is the same before and after.
public struct EntityMigration: Hashable, Sendable {
    public var entity: EntityNumber
    /// Added to the primary keys, where the entity moved into the hierarchy of another.
    public var keyOffset: Int64
    /// The properties that get a value, by their new slot, ascending.
    public var properties: [PropertyMigration]

    public init(entity: EntityNumber, keyOffset: Int64 = 0, properties: [PropertyMigration]) {
        self.entity = entity
        self.keyOffset = keyOffset
        self.properties = properties
    }
}

/// Where the value of one property comes from.
public struct PropertyMigration: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
        /// There was no such property.
        case none
        /// The old slot of the same entity.
        case slot(UInt16)
        /// A relationship that is new here, but whose inverse was there: the old entity and slot that tell it from
        /// the other side.
        case inverse(entity: EntityNumber, slot: UInt16)
    }

    /// The slot in the new model.
    public var slot: UInt16
    public var source: Source
    /// The value where there is none: the default of a mandatory attribute.
    public var fallback: PropertyValue

    public init(slot: UInt16, source: Source, fallback: PropertyValue = .null) {
        self.slot = slot
        self.source = source
        self.fallback = fallback
    }
}
