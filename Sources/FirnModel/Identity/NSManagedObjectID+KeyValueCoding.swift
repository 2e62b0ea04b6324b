public import FirnFoundation

/// Key paths from an ID, as in `objectID.entity.name`.
extension NSManagedObjectID: KeyValueCoding {
    private static let members = KeyedMembers<NSManagedObjectID>([
        "entity": .init(\.entity), "isTemporaryID": .init(\.isTemporaryID), "persistentStore": .init(\.storeObject),
    ])

    public func value(forKey key: String) -> Any? {
        if key == "URIRepresentation" || key == "uriRepresentation" { return uriRepresentation() }
        return value(forKey: key, among: Self.members.value(of: self, key))
    }

    public func setValue(_ value: Any?, forKey key: String) { setValue(value, forUndefinedKey: key) }
}
