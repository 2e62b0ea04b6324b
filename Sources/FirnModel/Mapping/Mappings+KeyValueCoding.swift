public import FirnFoundation

/// Key paths into mappings, as in `$entityMapping.userInfo.sourceVersion`.
extension NSMappingModel: KeyValueCoding {
    private static let members = KeyedMembers<NSMappingModel>([
        "entityMappings": .init(\.entityMappings), "entityMappingsByName": .init(\.entityMappingsByName),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) { Self.members.setValue(value, forKey: key, of: self) }
}

extension NSEntityMapping: KeyValueCoding {
    private static let members = KeyedMembers<NSEntityMapping>([
        "name": .init(\.name), "mappingType": .init(\.mappingType), "userInfo": .init(\.userInfo),
        "sourceEntityName": .init(\.sourceEntityName), "destinationEntityName": .init(\.destinationEntityName),
        "sourceEntityVersionHash": .init(\.sourceEntityVersionHash),
        "destinationEntityVersionHash": .init(\.destinationEntityVersionHash),
        "attributeMappings": .init(\.attributeMappings), "relationshipMappings": .init(\.relationshipMappings),
        "sourceExpression": .init(\.sourceExpression),
        "entityMigrationPolicyClassName": .init(\.entityMigrationPolicyClassName),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) { Self.members.setValue(value, forKey: key, of: self) }
}

extension NSPropertyMapping: KeyValueCoding {
    private static let members = KeyedMembers<NSPropertyMapping>([
        "name": .init(\.name), "valueExpression": .init(\.valueExpression), "userInfo": .init(\.userInfo),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) { Self.members.setValue(value, forKey: key, of: self) }
}
