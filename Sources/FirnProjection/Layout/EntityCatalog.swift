package import FirnLog
internal import FirnModel

/// The entities of a store's schema by the store's numbers.
struct EntityCatalog: Sendable {
    let model: NSManagedObjectModel
    private let byNumber: [NSEntityDescription?]
    /// By the index of the entity in its model.
    let numbers: [EntityNumber?]

    /// `entities` is ascending by number.
    init(_ model: NSManagedObjectModel, _ entities: [(NSEntityDescription, EntityNumber)]) {
        self.model = model
        var numbers = [EntityNumber?](repeating: nil, count: model.entities.count)
        var byNumber = [NSEntityDescription?](repeating: nil, count: Int(entities.last?.1.rawValue ?? 0) + 1)
        for (entity, number) in entities {
            numbers[entity.layout.modelIndex] = number
            byNumber[Int(number.rawValue)] = entity
        }
        self.numbers = numbers
        self.byNumber = byNumber
    }

    /// The entity of a number; nil if the model does not have it.
    func entity(_ number: EntityNumber) -> NSEntityDescription? {
        let index = Int(number.rawValue)
        return index < byNumber.count ? byNumber[index] : nil
    }

    /// The store's number of an entity of the model. O(1).
    func number(of entity: NSEntityDescription) -> EntityNumber {
        guard let number = numbers[entity.layout.modelIndex] else {
            fatalError(
                "entity '\(entity.name ?? "")' is not in this store's configuration; add it, or save its "
                    + "objects to another store")
        }
        return number
    }

    /// Whether the catalog has the entity.
    func contains(_ entity: NSEntityDescription) -> Bool {
        entity.isPart(of: model) && numbers[entity.layout.modelIndex] != nil
    }

    /// The catalog's entity that is equal to one of any model: a program may have loaded its model twice.
    func entity(equalTo entity: NSEntityDescription) -> NSEntityDescription? {
        if contains(entity) { return entity }
        guard let known = model.entitiesByName[entity.name ?? ""], contains(known), known.isEqual(entity) else {
            return nil
        }
        return known
    }
}

extension NSAttributeType {
    /// The log's kind for values of this type; nil for a type without a value of its own.
    package var storedKind: AttributeKind? {
        switch self {
        case .integer16AttributeType: .integer16
        case .integer32AttributeType: .integer32
        case .integer64AttributeType: .integer64
        case .booleanAttributeType: .boolean
        case .doubleAttributeType: .double
        case .floatAttributeType: .float
        case .decimalAttributeType: .decimal
        case .stringAttributeType: .string
        case .dateAttributeType: .date
        case .binaryDataAttributeType: .binary
        case .UUIDAttributeType: .uuid
        case .URIAttributeType: .uri
        case .transformableAttributeType: .transformable
        case .objectIDAttributeType: .objectID
        case .undefinedAttributeType, .compositeAttributeType: nil
        }
    }
}
