import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A model with inheritance, each kind of relationship and each kind of value.
///
///     Animal ─┬─ Dog (barks)          Animal.owner >──┐
///     (name)  └─ Bird (wingspan)                      ├ Person.pets (ordered)
///     Person.friends <<──>> Person.friendOf           Person.tags ──>> Tag (ordered, one-sided)
enum SampleModel {
    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    static func relationship(
        _ name: String, _ destination: NSEntityDescription, toMany: Bool = false, ordered: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = toMany ? 0 : 1
        relationship.isOrdered = ordered
        return relationship
    }

    static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    static func inverse(_ first: NSRelationshipDescription, _ second: NSRelationshipDescription) {
        first.inverseRelationship = second
        second.inverseRelationship = first
    }

    static func make() -> NSManagedObjectModel {
        let (animal, dog, bird) = (entity("Animal"), entity("Dog"), entity("Bird"))
        let (person, tag) = (entity("Person"), entity("Tag"))
        let owner = relationship("owner", person)
        let pets = relationship("pets", animal, toMany: true, ordered: true)
        inverse(owner, pets)
        let friends = relationship("friends", person, toMany: true)
        let friendOf = relationship("friendOf", person, toMany: true)
        inverse(friends, friendOf)
        let best = relationship("best", animal)
        animal.properties = [
            attribute("name", .stringAttributeType), attribute("weight", .doubleAttributeType), owner,
        ]
        dog.properties = [attribute("barks", .integer64AttributeType)]
        bird.properties = [attribute("wingspan", .decimalAttributeType)]
        animal.subentities = [dog, bird]
        person.properties = [
            attribute("name", .stringAttributeType), attribute("age", .integer32AttributeType),
            attribute("born", .dateAttributeType), attribute("id", .UUIDAttributeType),
            attribute("image", .binaryDataAttributeType), attribute("page", .URIAttributeType),
            attribute("isAdult", .booleanAttributeType), attribute("money", .decimalAttributeType),
            attribute("score", .floatAttributeType), pets, friends, friendOf, best,
            relationship("tags", tag, toMany: true, ordered: true),
        ]
        person.uniquenessConstraints = [["name"]]
        tag.properties = [attribute("label", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [animal, person, tag]
        return model
    }

    static func schema() -> StoreSchema { StoreSchema(model: make()) }
}

extension StoreSchema {
    func named(_ name: String) -> EntityNumber {
        guard let entity = entities.first(where: { $0.name == name }) else {
            preconditionFailure("the sample model has no entity \(name)")
        }
        return number(of: entity)
    }

    func slot(_ entity: EntityNumber, _ name: String) -> UInt16 {
        guard let slot = layout.place(entity)?.slot(named: name) else {
            preconditionFailure("the sample model has no property \(name)")
        }
        return UInt16(slot)
    }

    /// A group of one object from values by name.
    func group(
        _ operation: ChangeGroup.Operation, _ entity: String, _ key: Int64,
        _ values: [String: PropertyValue] = [:]
    ) -> ChangeGroup {
        let number = named(entity)
        let sorted = values.map { (slot(number, $0), $1) }.sorted { $0.0 < $1.0 }
        let columns = sorted.map { slot, value -> Column in
            let place = layout.place(number)?.slots[Int(slot)]
            var column = Column(place?.storage ?? .none)
            if column.type == .none { column.appendTouched() } else { column.append(value) }
            return column
        }
        return ChangeGroup(
            entity: number, operation: operation, primaryKeys: [key], slots: sorted.map(\.0),
            new: operation == .delete ? [] : columns, old: operation == .insert ? [] : columns)
    }
}

/// A projection of the sample model in memory, with the records it was fed.
final class Sample {
    let schema: StoreSchema
    let projection: Projection
    private(set) var records: [LogRecord] = []

    init(_ location: ProjectionLocation = .memory) throws {
        schema = SampleModel.schema()
        projection = try Projection.open(
            location, schema: schema, storeID: "S", modelSequence: 1, head: .zero).0
        try append(.model(schema.logModel))
    }

    static func record(_ sequence: SequenceNumber, _ body: LogRecord.Body) -> LogRecord {
        let header = TransactionHeader(date: 0, id: TransactionID(high: 0, low: sequence.rawValue))
        return LogRecord(sequence: sequence, header: header, body: body)
    }

    func append(_ body: LogRecord.Body) throws {
        let record = Self.record(SequenceNumber(UInt64(records.count + 1)), body)
        try projection.begin()
        do {
            try projection.apply(record)
        } catch {
            projection.rollback()
            throw error
        }
        try projection.commit()
        records.append(record)
    }

    func save(_ groups: [ChangeGroup], links: [LinkGroup] = []) throws {
        try append(.changes(ChangeSet(model: 1, groups: groups, links: links)))
    }

    /// Another projection of the same records.
    func rebuilt(upTo count: Int? = nil) throws -> Projection {
        let (other, _) = try Projection.open(
            .memory, schema: schema, storeID: "S", modelSequence: 1,
            head: SequenceNumber(UInt64(records.count)))
        try other.rebuild { apply in
            for record in records.prefix(count ?? records.count) { try apply(record) }
        }
        return other
    }
}
