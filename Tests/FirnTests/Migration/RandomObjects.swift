import Firn
import FirnModel
import Foundation

/// Fills a context with objects of every entity, whatever the model: random values of every type, and relationships.
struct RandomObjects<Generator: RandomNumberGenerator> {
    private var generator: Generator
    private let countOfEntity: Int
    /// Makes values differ, where they must be unique.
    private var serial: Int

    init(_ generator: Generator, countOfEntity: Int = 4, serial: Int = 0) {
        self.serial = serial
        self.generator = generator
        self.countOfEntity = countOfEntity
    }

    mutating func fill(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) {
        var objects: [NSManagedObject] = []
        for entity in model.entities.sorted(by: { $0.name! < $1.name! }) where !entity.isAbstract {
            for _ in 0..<countOfEntity {
                let object = NSManagedObject(entity: entity, insertInto: context)
                for attribute in entity.attributesByName.values.sorted(by: { $0.name < $1.name }) {
                    set(attribute, of: object)
                }
                objects.append(object)
            }
        }
        for (index, object) in objects.enumerated() { relate(object, index, objects) }
    }

    private mutating func set(_ attribute: NSAttributeDescription, of object: NSManagedObject) {
        serial += 1
        if attribute is NSDerivedAttributeDescription { return }
        if attribute.isOptional, !attribute.isTransient, Int.random(in: 0..<4, using: &generator) == 0 {
            object.setValue(nil, forKey: attribute.name)
        } else if let value = value(attribute) {
            object.setValue(value, forKey: attribute.name)
        }
    }

    private mutating func value(_ attribute: NSAttributeDescription) -> Any? {
        switch attribute.attributeType {
        case .integer16AttributeType: serial % 30_000
        case .integer32AttributeType, .integer64AttributeType: serial
        case .doubleAttributeType, .floatAttributeType: Double(Int.random(in: 0..<64, using: &generator)) / 4
        case .decimalAttributeType: NSDecimalNumber(value: serial)
        case .booleanAttributeType: Bool.random(using: &generator)
        case .stringAttributeType: "text \(serial)"
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double(serial) * 3600)
        case .binaryDataAttributeType:
            // Every other one that may be is in a file of its own.
            Data([UInt8(serial & 255), 1, 2])
                + Data(count: attribute.allowsExternalBinaryDataStorage && serial % 2 == 0 ? 110_000 : 0)
        case .UUIDAttributeType:
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(serial >> 8 & 255), UInt8(serial & 255)))
        case .URIAttributeType: URL(string: "https://example.org/\(serial)")
        case .transformableAttributeType:
            // Transformers of programs are not registered here.
            attribute.valueTransformerName?.hasPrefix("NSSecure") ?? true ? ["text \(serial)"] as NSArray : nil
        default: nil
        }
    }

    private mutating func relate(_ object: NSManagedObject, _ index: Int, _ objects: [NSManagedObject]) {
        for relationship in object.entity.relationshipsByName.values.sorted(by: { $0.name < $1.name }) {
            guard let destination = relationship.destinationEntity else { continue }
            let candidates = objects.filter { $0.entity.isKindOf(entity: destination) }
            guard !candidates.isEmpty else { continue }
            if relationship.isToMany {
                if relationship.inverseRelationship?.isToMany == false { continue }
                let chosen = candidates.filter { _ in Bool.random(using: &generator) }
                let members = chosen.isEmpty ? [candidates[0]] : chosen
                object.setValue(
                    relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
                    forKey: relationship.name)
            } else if relationship.inverseRelationship == nil {
                object.setValue(candidates.randomElement(using: &generator), forKey: relationship.name)
            } else {
                // Each has one of its own: an earlier one would lose it, or a mandatory to-many have none.
                object.setValue(candidates[index % candidates.count], forKey: relationship.name)
            }
        }
    }
}
