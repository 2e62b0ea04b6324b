import FirnFoundation
package import Foundation

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate

/// How entities are archived: from the top down, with relationships by name, since Foundation on Linux cannot decode
/// two objects that refer to each other. The keys are named like Apple's; the archive is a form of our own.
enum EntityCoding {
    static func encode(_ entity: NSEntityDescription, into coder: NSCoder) {
        coder.encode(text: entity.name, forKey: "NSName")
        coder.encode(entity.isAbstract, forKey: "NSIsAbstract")
        coder.encode(text: entity.explicitClassName, forKey: "NSManagedObjectClassName")
        coder.encode(entity.userInfo as NSDictionary?, forKey: "NSUserInfo")
        coder.encode(text: entity.versionHashModifier, forKey: "NSVersionHashModifier")
        coder.encode(text: entity.explicitRenamingIdentifier, forKey: "NSRenamingIdentifier")
        coder.encode(text: entity.displayNameText, forKey: "NSCoreSpotlightDisplayName")
        coder.encode(entity.compoundIndexNames as NSArray, forKey: "NSCompoundIndexes")
        coder.encode(entity.uniquenessConstraintNames as NSArray, forKey: "NSUniquenessConstraints")
        coder.encode(entity.ownProperties as NSArray, forKey: "NSProperties")
        coder.encode(entity.indexes as NSArray, forKey: "NSIndexes")
        coder.encode(entity.subentities as NSArray, forKey: "NSSubentities")
    }

    /// Fills the entity; false if the archive holds none, or is damaged.
    static func decode(_ entity: NSEntityDescription, from coder: NSCoder) -> Bool {
        func list<T: AnyObject>(_ type: T.Type, _ key: String) -> [T] {
            coder.decodeObject(of: [NSArray.self, type], forKey: key) as? [T] ?? []
        }
        guard coder.containsValue(forKey: "NSProperties") else { return false }
        entity.name = coder.text(forKey: "NSName")
        entity.isAbstract = coder.decodeBool(forKey: "NSIsAbstract")
        entity.explicitClassName = coder.text(forKey: "NSManagedObjectClassName")
        let userInfo = coder.decodeObject(of: PropertyCoding.listClasses, forKey: "NSUserInfo")
        entity.userInfo = userInfo as? [AnyHashable: Any] ?? [:]
        entity.versionHashModifier = coder.text(forKey: "NSVersionHashModifier")
        entity.explicitRenamingIdentifier = coder.text(forKey: "NSRenamingIdentifier")
        entity.displayNameText = coder.text(forKey: "NSCoreSpotlightDisplayName")
        let groupClasses: [AnyClass] = [NSArray.self, NSString.self]
        func groups(_ key: String) -> [[Any]] { coder.decodeObject(of: groupClasses, forKey: key) as? [[Any]] ?? [] }
        entity.compoundIndexes = groups("NSCompoundIndexes")
        entity.uniquenessConstraints = groups("NSUniquenessConstraints")
        entity.properties = list(NSPropertyDescription.self, "NSProperties")
        let own = Dictionary(entity.ownProperties.map { ($0.name, $0) }) { first, _ in first }
        // A decoded index has copies of its properties. They are replaced by the entity's.
        entity.indexes = list(NSFetchIndexDescription.self, "NSIndexes").map { $0.copy { own[$0.name] ?? $0 } }
        entity.subentities = list(NSEntityDescription.self, "NSSubentities")
        connect(entity.selfAndDescendants)
        return coder.error == nil
    }

    /// Connects relationships with the entities and inverses whose names the archive holds. A destination that is not
    /// among `entities` stays nil.
    private static func connect(_ entities: [NSEntityDescription]) {
        let known = Dictionary(entities.map { ($0.name ?? "", $0) }) { first, _ in first }
        let relationships = entities.flatMap(\.ownProperties).compactMap { $0 as? NSRelationshipDescription }
        for relationship in relationships {
            guard let name = relationship.decodedDestination, let destination = known[name] else { continue }
            relationship.destinationEntity = destination
            guard let inverse = relationship.namedInverse else { continue }
            relationship.inverseRelationship = destination.relationshipsByName[inverse]
        }
    }
}

/// Texts and literal values in the archives of descriptions and requests.
extension NSCoder {
    package func encode(text: String?, forKey key: String) { encode(text as NSString?, forKey: key) }

    package func text(forKey key: String) -> String? { decodeObject(of: NSString.self, forKey: key) as String? }

    /// Writes a value as the literal that predicates have for it, because Linux's archiver cannot write decimals. A
    /// value without a literal traps.
    package func encode(literal value: Any?, forKey key: String) {
        encode(value.map { NSExpression(forConstantValue: $0) }, forKey: key)
    }

    /// The value of an expression that holds no key path or variable; nil for none, or for another expression.
    package func literal(forKey key: String) -> Any? {
        guard let expression = decodeObject(of: NSExpression.self, forKey: key) else { return nil }
        return (try? expression.value(for: nil)) ?? nil
    }
}

/// Archives what all properties have in common. Subclasses archive the rest.
enum PropertyCoding {
    /// The classes that user info may hold: those of property lists.
    static let listClasses: [AnyClass] = [
        NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
    ]

    static func encode(_ property: NSPropertyDescription, into coder: NSCoder) {
        coder.encode(text: property.name, forKey: "NSName")
        coder.encode(property.isOptional, forKey: "NSIsOptional")
        coder.encode(property.isTransient, forKey: "NSIsTransient")
        coder.encode(property.isIndexed, forKey: "NSIsIndexed")
        coder.encode(property.isStoredInExternalRecord, forKey: "NSIsStoredInExternalRecord")
        coder.encode(property.userInfo as NSDictionary?, forKey: "NSUserInfo")
        coder.encode(text: property.versionHashModifier, forKey: "NSVersionHashModifier")
        coder.encode(text: property.explicitRenamingIdentifier, forKey: "NSRenamingIdentifier")
        coder.encode(property.validationPredicates as NSArray, forKey: "NSValidationPredicates")
        coder.encode(property.validationWarnings as NSArray, forKey: "NSValidationWarnings")
    }

    static func decode(_ property: NSPropertyDescription, from coder: NSCoder) {
        property.name = coder.text(forKey: "NSName") ?? ""
        property.isOptional = coder.decodeBool(forKey: "NSIsOptional")
        property.isTransient = coder.decodeBool(forKey: "NSIsTransient")
        property.isIndexed = coder.decodeBool(forKey: "NSIsIndexed")
        property.isStoredInExternalRecord = coder.decodeBool(forKey: "NSIsStoredInExternalRecord")
        property.userInfo = coder.decodeObject(of: listClasses, forKey: "NSUserInfo") as? [AnyHashable: Any] ?? [:]
        property.versionHashModifier = coder.text(forKey: "NSVersionHashModifier")
        property.explicitRenamingIdentifier = coder.text(forKey: "NSRenamingIdentifier")
        let predicates = coder.decodeObject(of: [NSArray.self, NSPredicate.self], forKey: "NSValidationPredicates")
        let warnings = coder.decodeObject(of: listClasses, forKey: "NSValidationWarnings")
        let rules = (predicates as? [NSPredicate] ?? [], warnings as? [Any] ?? [])
        if rules.0.count == rules.1.count { property.setValidation(rules.0, warnings: rules.1, limits: nil) }
    }
}
