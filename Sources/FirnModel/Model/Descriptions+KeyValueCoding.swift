public import FirnFoundation

/// Key paths into a model, as in `$FETCHED_PROPERTY.userInfo.limit` and `entity.attributesByName.name.defaultValue`.
extension NSManagedObjectModel: KeyValueCoding {
    private static let members = KeyedMembers<NSManagedObjectModel>([
        "entities": .init(\.entities), "entitiesByName": .init(\.entitiesByName),
        "configurations": .init(\.configurations), "versionIdentifiers": .init(\.versionIdentifiers),
        "fetchRequestTemplatesByName": .init(\.fetchRequestTemplatesByName),
        "localizationDictionary": .init(\.localizationDictionary), "versionChecksum": .init(\.versionChecksum),
        "entityVersionHashesByName": .init(\.entityVersionHashesByName),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) { Self.members.setValue(value, forKey: key, of: self) }
}

extension NSEntityDescription: KeyValueCoding {
    private static let members = KeyedMembers<NSEntityDescription>([
        "name": .init(\.name), "isAbstract": .init(\.isAbstract), "userInfo": .init(\.userInfo),
        "managedObjectClassName": .init(\.managedObjectClassName), "managedObjectModel": .init(\.model),
        "superentity": .init(\.superentity), "subentities": .init(\.subentities),
        "subentitiesByName": .init(\.subentitiesByName), "properties": .init(\.properties),
        "propertiesByName": .init(\.propertiesByName), "attributesByName": .init(\.attributesByName),
        "relationshipsByName": .init(\.relationshipsByName), "indexes": .init(\.indexes),
        "compoundIndexes": .init(\.compoundIndexes), "uniquenessConstraints": .init(\.uniquenessConstraints),
        "renamingIdentifier": .init(\.renamingIdentifier), "versionHash": .init(\.versionHash),
        "versionHashModifier": .init(\.versionHashModifier),
        "coreSpotlightDisplayNameExpression": .init(\.coreSpotlightDisplayNameExpression),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) { Self.members.setValue(value, forKey: key, of: self) }
}

extension NSPropertyDescription: KeyValueCoding {
    private static let members = KeyedMembers<NSPropertyDescription>([
        "name": .init(\.name), "isOptional": .init(\.isOptional), "isTransient": .init(\.isTransient),
        "isIndexed": .init(\.isIndexed), "isIndexedBySpotlight": .init(\.isIndexedBySpotlight),
        "isStoredInExternalRecord": .init(\.isStoredInExternalRecord), "userInfo": .init(\.userInfo),
        "entity": .init(\.declaringEntity), "validationPredicates": .init(\.validationPredicates),
        "validationWarnings": .init(\.validationWarnings), "renamingIdentifier": .init(\.renamingIdentifier),
        "versionHash": .init(\.versionHash), "versionHashModifier": .init(\.versionHashModifier),
    ])
    private static let ofAttributes = KeyedMembers<NSAttributeDescription>([
        "attributeType": .init(\.attributeType), "attributeValueClassName": .init(\.attributeValueClassName),
        "defaultValue": .init(\.defaultValue), "valueTransformerName": .init(\.valueTransformerName),
        "allowsExternalBinaryDataStorage": .init(\.allowsExternalBinaryDataStorage),
        "preservesValueInHistoryOnDeletion": .init(\.preservesValueInHistoryOnDeletion),
        "allowsCloudEncryption": .init(\.allowsCloudEncryption),
    ])
    private static let ofDerived = KeyedMembers<NSDerivedAttributeDescription>([
        "derivationExpression": .init(\.derivationExpression),
    ])
    private static let ofComposites = KeyedMembers<NSCompositeAttributeDescription>(["elements": .init(\.elements)])
    private static let ofRelationships = KeyedMembers<NSRelationshipDescription>([
        "destinationEntity": .init(\.destinationEntity), "inverseRelationship": .init(\.inverseRelationship),
        "maxCount": .init(\.maxCount), "minCount": .init(\.minCount), "deleteRule": .init(\.deleteRule),
        "isToMany": .init(\.isToMany), "isOrdered": .init(\.isOrdered),
    ])
    private static let ofFetched = KeyedMembers<NSFetchedPropertyDescription>(["fetchRequest": .init(\.fetchRequest)])
    private static let ofExpressions = KeyedMembers<NSExpressionDescription>([
        "expression": .init(\.expression), "expressionResultType": .init(\.expressionResultType),
    ])

    public func value(forKey key: String) -> Any? {
        value(
            forKey: key,
            among: Self.members.value(of: self, key),
            (self as? NSAttributeDescription).flatMap { Self.ofAttributes.value(of: $0, key) },
            (self as? NSDerivedAttributeDescription).flatMap { Self.ofDerived.value(of: $0, key) },
            (self as? NSCompositeAttributeDescription).flatMap { Self.ofComposites.value(of: $0, key) },
            (self as? NSRelationshipDescription).flatMap { Self.ofRelationships.value(of: $0, key) },
            (self as? NSFetchedPropertyDescription).flatMap { Self.ofFetched.value(of: $0, key) },
            (self as? NSExpressionDescription).flatMap { Self.ofExpressions.value(of: $0, key) })
    }

    public func setValue(_ value: Any?, forKey key: String) {
        if Self.members.set(value, of: self, key) { return }
        let isSet =
            switch self {
            case let derived as NSDerivedAttributeDescription where Self.ofDerived.set(value, of: derived, key): true
            case let composite as NSCompositeAttributeDescription
            where Self.ofComposites.set(value, of: composite, key): true
            case let attribute as NSAttributeDescription: Self.ofAttributes.set(value, of: attribute, key)
            case let relationship as NSRelationshipDescription: Self.ofRelationships.set(value, of: relationship, key)
            case let fetched as NSFetchedPropertyDescription: Self.ofFetched.set(value, of: fetched, key)
            case let expression as NSExpressionDescription: Self.ofExpressions.set(value, of: expression, key)
            default: false
            }
        if !isSet { setValue(value, forUndefinedKey: key) }
    }
}

extension NSFetchIndexDescription: KeyValueCoding {
    private static let members = KeyedMembers<NSFetchIndexDescription>([
        "name": .init(\.name), "elements": .init(\.elements), "entity": .init(\.entity),
        "partialIndexPredicate": .init(\.partialIndexPredicate),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) { Self.members.setValue(value, forKey: key, of: self) }
}

extension NSFetchIndexElementDescription: KeyValueCoding {
    private static let members = KeyedMembers<NSFetchIndexElementDescription>([
        "property": .init(\.property), "propertyName": .init(\.propertyName),
        "collationType": .init(\.collationType), "isAscending": .init(\.isAscending),
        "indexDescription": .init(\.indexDescription),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) { Self.members.setValue(value, forKey: key, of: self) }
}
