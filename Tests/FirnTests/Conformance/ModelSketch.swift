import Firn
import FirnModel
import Foundation

/// Parts of small models, for tests that need a rule which the shared one does not have.
enum ModelSketch {
    static func attribute(
        _ name: String, _ type: NSAttributeType = .stringAttributeType, optional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        return attribute
    }

    /// An attribute that a save computes.
    static func derived(
        _ name: String, _ type: NSAttributeType, _ expression: String
    ) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    /// A one to many relationship with its inverse, both nullifying. Gives the side with many.
    @discardableResult
    static func relate(
        _ one: NSEntityDescription, _ name: String, toMany many: NSEntityDescription, _ inverseName: String
    ) -> NSRelationshipDescription {
        let members = NSRelationshipDescription()
        members.name = name
        members.destinationEntity = many
        members.deleteRule = .nullifyDeleteRule
        let owner = NSRelationshipDescription()
        owner.name = inverseName
        owner.destinationEntity = one
        owner.maxCount = 1
        owner.deleteRule = .nullifyDeleteRule
        members.inverseRelationship = owner
        owner.inverseRelationship = members
        one.properties.append(members)
        many.properties.append(owner)
        return members
    }

    static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// People with unique e-mail addresses, some of them customers, who write letters:
    ///
    ///     Person   email (unique), name     ──letters──▶▶ Letter   text
    ///     Customer a Person with a number (unique)
    static func correspondence() -> NSManagedObjectModel {
        let person = entity("Person", [attribute("email"), attribute("name"), attribute("city")])
        person.uniquenessConstraints = [["email"]]
        let customer = entity("Customer", [attribute("number")])
        customer.uniquenessConstraints = [["number"]]
        let letter = entity("Letter", [attribute("text")])
        relate(person, "letters", toMany: letter, "sender").deleteRule = .cascadeDeleteRule
        person.subentities = [customer]
        return model(person, customer, letter)
    }
}

extension NSManagedObject {
    func text(_ key: String) -> String? { value(forKey: key) as? String }
    func number(_ key: String) -> Int? { (value(forKey: key) as? NSNumber)?.intValue }
}
