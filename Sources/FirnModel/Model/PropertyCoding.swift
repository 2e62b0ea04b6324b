import Foundation

import class FirnFoundation.NSPredicate

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
