import FirnModel
import Foundation

/// Models with a little of everything, the same for the same generator.
struct RandomModel<Generator: RandomNumberGenerator> {
    var generator: Generator
    private var count = 0

    init(_ generator: Generator) { self.generator = generator }

    /// A model that `validate()` has nothing against.
    mutating func make() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let entities = (0..<Int.random(in: 1...6, using: &generator)).map { _ in makeEntity() }
        for (index, child) in entities.enumerated().dropFirst() where chance(0.3) {
            entities[Int.random(in: 0..<index, using: &generator)].subentities.append(child)
        }
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            relate(pick(entities), pick(entities))
        }
        model.entities = entities
        if chance(0.3) { model.versionIdentifiers = [text(), text()] }
        if chance(0.3) { model.setEntities([pick(entities)], forConfigurationName: name()) }
        if chance(0.3) { model.localizationDictionary = [text(): text()] }
        if chance(0.3) { model.setFetchRequestTemplate(request(pick(entities)), forName: name()) }
        return model
    }

    private mutating func makeEntity() -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name()
        entity.isAbstract = chance(0.2)
        if chance(0.5) { entity.managedObjectClassName = text() }
        if chance(0.2) { entity.versionHashModifier = text() }
        if chance(0.2) { entity.renamingIdentifier = text() }
        entity.userInfo = userInfo()
        let attributes = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            attribute(depth: 0)
        }
        entity.properties = attributes
        if chance(0.3), let attribute = attributes.first {
            entity.uniquenessConstraints = [[attribute]]
        }
        if chance(0.3), let attribute = attributes.last {
            entity.compoundIndexes = [[attribute.name]]
        }
        if chance(0.3), let attribute = attributes.first {
            let element = NSFetchIndexElementDescription(
                property: attribute, collationType: chance(0.5) ? .binary : .rTree)
            element.isAscending = chance(0.5)
            entity.indexes = [NSFetchIndexDescription(name: name(), elements: [element])]
        }
        if chance(0.2) {
            let fetched = NSFetchedPropertyDescription()
            fetched.name = name()
            fetched.fetchRequest = request(entity)
            entity.properties += [fetched]
        }
        return entity
    }

    private mutating func attribute(depth: Int) -> NSAttributeDescription {
        let types: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType, .stringAttributeType, .booleanAttributeType,
            .dateAttributeType, .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType,
            .transformableAttributeType,
        ]
        let attribute: NSAttributeDescription
        if depth < 2 && chance(0.15) {
            let composite = NSCompositeAttributeDescription()
            composite.elements = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                self.attribute(depth: depth + 1)
            }
            attribute = composite
        } else {
            attribute = NSAttributeDescription()
            attribute.attributeType = pick(types)
            if chance(0.5) { attribute.defaultValue = value(attribute.attributeType) }
        }
        attribute.allowsExternalBinaryDataStorage = chance(0.2)
        attribute.preservesValueInHistoryOnDeletion = chance(0.2)
        if chance(0.2) { attribute.valueTransformerName = text() }
        if chance(0.2) { attribute.attributeValueClassName = text() }
        decorate(attribute)
        return attribute
    }

    private mutating func relate(_ one: NSEntityDescription, _ other: NSEntityDescription) {
        let there = relationship(to: other)
        if chance(0.7) {
            let back = relationship(to: one)
            there.inverseRelationship = back
            back.inverseRelationship = there
            other.properties += [back]
        }
        one.properties += [there]
    }

    private mutating func relationship(to destination: NSEntityDescription)
        -> NSRelationshipDescription
    {
        let relationship = NSRelationshipDescription()
        decorate(relationship)
        relationship.destinationEntity = destination
        relationship.maxCount = pick([0, 1, 1, 5])
        relationship.minCount = pick([0, 0, 1])
        relationship.deleteRule = pick([
            .noActionDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule,
        ])
        relationship.isOrdered = chance(0.3)
        return relationship
    }

    private mutating func decorate(_ property: NSPropertyDescription) {
        property.name = name()
        property.isOptional = chance(0.7)
        property.isTransient = chance(0.2)
        property.isIndexed = chance(0.2)
        property.isStoredInExternalRecord = chance(0.1)
        if chance(0.2) { property.versionHashModifier = text() }
        if chance(0.2) { property.renamingIdentifier = text() }
        property.userInfo = userInfo()
    }

    private mutating func request(_ entity: NSEntityDescription) -> NSFetchRequest<
        any NSFetchRequestResult
    > {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name ?? "")
        request.fetchLimit = pick([0, 1, 100])
        request.fetchOffset = pick([0, 1, 100])
        request.fetchBatchSize = pick([0, 20])
        request.resultType = pick([
            .managedObjectResultType, .dictionaryResultType, .countResultType,
        ])
        request.includesSubentities = chance(0.5)
        request.includesPropertyValues = chance(0.5)
        request.includesPendingChanges = chance(0.5)
        request.returnsObjectsAsFaults = chance(0.5)
        request.returnsDistinctResults = chance(0.5)
        request.shouldRefreshRefetchedObjects = chance(0.5)
        if chance(0.3) { request.relationshipKeyPathsForPrefetching = [text()] }
        if chance(0.3) { request.propertiesToFetch = [text(), text()] }
        if chance(0.3) { request.propertiesToGroupBy = [] }
        return request
    }

    private mutating func value(_ type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType: Int16.random(in: .min ... .max, using: &generator)
        case .integer32AttributeType: Int32.random(in: .min ... .max, using: &generator)
        case .integer64AttributeType: pick([Int64.min, -1, 0, 1, .max])
        case .decimalAttributeType:
            pick([Decimal(string: "-12345678901234567890.0123456789"), Decimal(0)])
        case .doubleAttributeType:
            pick([0.1, -0.0, 1e300, Double.leastNonzeroMagnitude, .infinity])
        case .floatAttributeType: pick([Float(0.1), 1e30])
        case .stringAttributeType: text()
        case .booleanAttributeType: chance(0.5)
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: pick([0, 0.123456789, -1e9]))
        case .binaryDataAttributeType: Data([0, 1, 255])
        case .UUIDAttributeType: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        case .URIAttributeType: URL(string: "https://example.org/a?b=c&d=%20")
        case .transformableAttributeType:
            pick(["text", 7 as Any, Date(timeIntervalSinceReferenceDate: 1), ["a", "b"]])
        default: nil
        }
    }

    private mutating func userInfo() -> [AnyHashable: Any]? {
        guard chance(0.3) else { return nil }
        return [
            text(): text(), text(): 42, text(): true, text(): 1.5, text(): Data([1, 2]),
            text(): ["list"],
        ]
    }

    /// Text that a careless writer of XML would spoil.
    private mutating func text() -> String {
        count += 1
        let part = pick([
            "", "<&>\"'", "a\tb\nc\r", "书架", "\u{0}\u{1}\u{1F}", "\u{FFFE}", "e\u{301}", "🌨️", "  ",
        ])
        return "\(part)\(count)"
    }

    private mutating func name() -> String {
        count += 1
        return pick(["n", "N", "名", "a b", "é"]) + "\(count)"
    }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &generator) < probability
    }

    private mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: choices.indices, using: &generator)]
    }
}
