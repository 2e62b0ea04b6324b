public import FirnFoundation
public import Foundation

/// A fetch request without the Swift type of its results.
///
/// In Objective-C the type parameter of `NSFetchRequest` is erased, and requests of different result types convert
/// freely. Swift's generic classes do not, so this class is the type of a parameter that accepts every fetch request.
/// Requests are archived under this class too, since Linux's archiver cannot name a generic one:
///
///     let request = try NSKeyedUnarchiver.unarchivedObject(ofClass: UntypedFetchRequest.self, from: data)
///     let people = request?.withResultType(Person.self)
open class UntypedFetchRequest: NSPersistentStoreRequest, NSSecureCoding, PredicateCluster, @unchecked Sendable {
    /// The request's settings.
    package final var settings: FetchSettings

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    public override init() {
        settings = FetchSettings()
        super.init()
    }

    package init(settings: FetchSettings) {
        self.settings = settings
        super.init()
    }

    public class var supportsSecureCoding: Bool { true }

    /// The request that was encoded, as an `NSFetchRequest<any NSFetchRequestResult>`; nil if the archive holds none.
    public required convenience init?(coder: NSCoder) {
        guard let settings = FetchSettings(coder: coder) else { return nil }
        self.init(decodedMember: NSFetchRequest<any NSFetchRequestResult>(asking: settings))
    }

    /// Writes the settings. The entity and the properties are written by their names. Affected stores are not written.
    /// Traps on predicates and sort descriptors with closures.
    open func encode(with coder: NSCoder) { settings.encode(with: coder) }

    open override var classForKeyedArchiver: AnyClass? { UntypedFetchRequest.self }

    /// A copy of the request whose results are of another Swift type.
    ///
    /// Where Apple's code casts, as in `request as! NSFetchRequest<NSFetchRequestResult>`, this is what works here.
    public final func withResultType<Result>(_ type: Result.Type) -> NSFetchRequest<Result> {
        let copy = NSFetchRequest<Result>(asking: settings.copied)
        copy.affectedStoreObjects = affectedStoreObjects
        return copy
    }

    /// Gives a request made by name its entity.
    package final func resolveEntity(_ resolved: NSEntityDescription) { settings.entity = resolved }
}

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

    public func setValue(_ value: Any?, forKey key: String) { Self.members.setValue(value, forKey: key, of: self) }
}
