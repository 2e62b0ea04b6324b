public import FirnFoundation

extension UntypedFetchRequest: KeyValueCoding {
    private static let members = KeyedMembers<UntypedFetchRequest>([
        "entity": .init(\.settings.entity), "entityName": .init(\.settings.entityName),
        "predicate": .init(\.settings.predicate), "sortDescriptors": .init(\.settings.sortDescriptors),
        "fetchLimit": .init(\.settings.fetchLimit), "fetchOffset": .init(\.settings.fetchOffset),
        "fetchBatchSize": .init(\.settings.fetchBatchSize), "resultType": .init(\.settings.resultType),
        "includesSubentities": .init(\.settings.includesSubentities),
        "includesPropertyValues": .init(\.settings.includesPropertyValues),
        "includesPendingChanges": .init(\.settings.includesPendingChanges),
        "returnsObjectsAsFaults": .init(\.settings.returnsObjectsAsFaults),
        "relationshipKeyPathsForPrefetching": .init(\.settings.relationshipKeyPathsForPrefetching),
        "propertiesToFetch": .init(\.settings.propertiesToFetch),
        "returnsDistinctResults": .init(\.settings.returnsDistinctResults),
        "shouldRefreshRefetchedObjects": .init(\.settings.shouldRefreshRefetchedObjects),
        "propertiesToGroupBy": .init(\.settings.propertiesToGroupBy),
        "havingPredicate": .init(\.settings.havingPredicate),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) {
        if !Self.members.set(value, of: self, key) { setValue(value, forUndefinedKey: key) }
    }
}
