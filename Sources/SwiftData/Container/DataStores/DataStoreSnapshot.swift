#if SwiftData
/// A value in a snapshot.
///
/// https://developer.apple.com/documentation/swiftdata/datastoresnapshotvalue
public typealias DataStoreSnapshotValue = Codable & Sendable

/// A model's values at one moment, as a store writes and reads them.
///
/// A snapshot encodes the identifier and each property under the names that `DataStoreSnapshotCodingKey` gives: an
/// attribute as its value, a relationship as a `PersistentIdentifier` or an array of them. A property that it does not
/// encode has its default value.
/// https://developer.apple.com/documentation/swiftdata/datastoresnapshot
public protocol DataStoreSnapshot: Codable, Sendable {
    /// The model's identifier.
    var persistentIdentifier: PersistentIdentifier { get }

    /// The values of a model that is saved. Models that it is related to can be added to the others' values.
    init(from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

    /// Copies the values under another identifier, and with other identifiers of related models.
    func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self
}

/// The names under which a snapshot encodes what it has.
///
/// https://developer.apple.com/documentation/swiftdata/datastoresnapshotcodingkey
public enum DataStoreSnapshotCodingKey: CodingKey {
    /// The identifier.
    case persistentIdentifier
    /// A property, by its name.
    case modeledProperty(String)

    private static let identifierName = "persistentIdentifier"

    public var stringValue: String {
        switch self {
        case .persistentIdentifier: Self.identifierName
        case .modeledProperty(let name): name
        }
    }

    /// The key with this name.
    public init?(stringValue: String) {
        self = stringValue == Self.identifierName ? .persistentIdentifier : .modeledProperty(stringValue)
    }

    public var intValue: Int? { nil }

    /// Nil: properties have names.
    public init?(intValue: Int) { nil }
}
#endif
