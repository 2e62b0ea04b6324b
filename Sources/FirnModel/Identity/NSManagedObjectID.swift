public import FirnFoundation
import FirnRuntime
public import Foundation
import Synchronization

/// The identity of an object. It is temporary until the object's store has assigned a primary key, then permanent.
///
/// Safe to hand between threads and contexts. Permanent IDs are equal if store, root entity and primary key are; a
/// temporary ID equals itself only. It is one instance in all contexts, and learns the permanent ID once there is one.
/// https://developer.apple.com/documentation/coredata/nsmanagedobjectid
public final class NSManagedObjectID: NSObject, NSCopying, Sendable {
    /// The object's entity.
    public let entity: NSEntityDescription

    /// Unique within the root entity of a store, and never reused. Negative for a temporary ID: then it identifies the
    /// object within this process.
    package let primaryKey: Int64
    /// The store's number of the entity; 0 for a temporary ID.
    package let entityNumber: UInt32
    /// The store's number of the entity's root entity; 0 for a temporary ID.
    package let rootNumber: UInt32
    /// The store; nil for a temporary ID that is not assigned to a store.
    package let storeIdentity: StoreIdentity?
    /// The permanent ID of the object that has this temporary one. Set once.
    private let successor = AtomicReference<NSManagedObjectID>(.none)

    /// A permanent ID.
    package init(
        entity: NSEntityDescription, entityNumber: UInt32, rootNumber: UInt32, primaryKey: Int64,
        store: StoreIdentity
    ) {
        self.entity = entity
        self.entityNumber = entityNumber
        self.rootNumber = rootNumber
        self.primaryKey = primaryKey
        storeIdentity = store
    }

    /// A temporary ID. `number` comes from `nextTemporaryNumber()`.
    package init(
        temporaryFor entity: NSEntityDescription, number: UInt64 = nextTemporaryNumber(), store: StoreIdentity? = nil
    ) {
        self.entity = entity
        entityNumber = 0
        rootNumber = 0
        primaryKey = -Int64(number)
        storeIdentity = store
    }

    /// A temporary ID of no object, whose entity has no name.
    public override init() {
        entity = NSEntityDescription()
        entityNumber = 0
        rootNumber = 0
        primaryKey = -Int64(NSManagedObjectID.nextTemporaryNumber())
        storeIdentity = nil
    }

    /// The number of a new temporary ID, above 0. An object takes one before its ID is made.
    package static func nextTemporaryNumber() -> UInt64 { TemporaryNumbers.next() }

    /// Whether the object has not been saved.
    public var isTemporaryID: Bool { primaryKey < 0 }

    /// The number of a temporary ID; 0 for a permanent ID.
    package var temporaryNumber: UInt64 { isTemporaryID ? primaryKey.magnitude : 0 }

    /// The permanent ID if there is one by now, else this one.
    package var current: NSManagedObjectID {
        guard isTemporaryID, case .object(let permanent) = successor.content else { return self }
        return permanent.object
    }

    /// The object of this temporary ID has a permanent one from now on, unless it has one already.
    package func become(_ permanent: NSManagedObjectID) {
        let reference = UncountedReference.retaining(permanent)
        if !successor.replace(.none, with: .object(reference)) { reference.release() }
    }

    /// Identifies a temporary ID across processes; nil for a permanent ID.
    package var temporaryUUID: UUID? { isTemporaryID ? TemporaryNumbers.uuid(temporaryNumber) : nil }

    /// The store's UUID as text; nil for a temporary ID without a store.
    package var storeIdentifier: String? { storeIdentity?.identifier }

    /// The store as an object of the layer above, while it is open.
    package var storeObject: AnyObject? { storeIdentity?.store }

    /// `x-coredata://<store UUID>/<entity>/p<primary key>`, or `x-coredata:///<entity>/t<UUID>` while temporary.
    public func uriRepresentation() -> URL {
        let text = uriText
        guard let url = URL(string: text) else { misuse("'\(text)' is not a URL.") }
        return url
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return isEqual(to: other)
    }

    private func isEqual(to other: NSManagedObjectID) -> Bool {
        if self === other { return true }
        return primaryKey > 0 && primaryKey == other.primaryKey && rootNumber == other.rootNumber
            && other.storeIdentity.map(isIn) == true
    }

    /// Whether the ID is one of this store, which may be open twice.
    package func isIn(_ store: StoreIdentity) -> Bool {
        storeIdentity === store
            || (storeIdentity?.keyText == nil && store.keyText == nil && storeIdentity?.identifier == store.identifier)
    }

    public override var hash: Int {
        Int(truncatingIfNeeded: primaryKey) ^ Int(rootNumber) << 48
    }

    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override var description: String { "<\(uriText)>" }

    private var uriText: String {
        let name = entity.name ?? ""
        // Foundation takes longer for the encoding than for all else.
        let isPlain = name.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
        let path = isPlain ? name : name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
        if let temporaryUUID { return "x-coredata://\(storeIdentifier ?? "")/\(path)/t\(temporaryUUID.uuidString)" }
        let key = storeIdentity?.keyText?(rootNumber, primaryKey) ?? "\(primaryKey)"
        return "x-coredata://\(storeIdentifier ?? "")/\(path)/p\(key)"
    }
}

extension NSManagedObjectID: NSFetchRequestResult {}

/// In predicates a temporary ID equals the permanent one that it became.
extension NSManagedObjectID: IdentityProviding {
    package var comparisonIdentity: AnyObject { current }
}

extension NSManagedObjectID: KeyedIdentity {
    package var orderKey: Int64 { isTemporaryID ? Int64.max / 2 - primaryKey : primaryKey }
}

/// The numbers of temporary IDs: a counter, and for the URI a random half that identifies the process.
///
/// A `UUID()` for each new object would call the system's random generator each time.
private enum TemporaryNumbers {
    private static let counter = Atomic<UInt64>(0)
    private static let processHalf = UInt64.random(in: .min ... .max)

    static func next() -> UInt64 { counter.add(1, ordering: .relaxed).newValue }

    static func uuid(_ number: UInt64) -> UUID {
        withUnsafeBytes(of: (processHalf.bigEndian, number.bigEndian)) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }
}

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

/// The store that permanent object IDs belong to. All IDs of an opened store share one.
///
/// Unchecked for the constant reference to the store alone, which is used on other threads as the store itself is.
package final class StoreIdentity: @unchecked Sendable {
    /// Makes the key part of an object's URI from a root entity's number and a primary key.
    package typealias KeyText = @Sendable (UInt32, Int64) -> String

    private let currentIdentifier: Mutex<String>
    /// The store, as an object of the layer above.
    package var store: AnyObject? { storeReference?.object }
    private let storeReference: WeakReference<AnyObject>?
    /// Nil if the URI holds the primary key, which is then valid wherever the store is open. Other stores assign
    /// primary keys for one opening only.
    package let keyText: KeyText?

    package init(identifier: String, store: AnyObject? = nil, keyText: KeyText? = nil) {
        currentIdentifier = Mutex(identifier)
        storeReference = store.map(WeakReference.init)
        self.keyText = keyText
    }

    /// The store's UUID as text. It is known when the store is open, at the latest.
    package var identifier: String {
        get { currentIdentifier.withLock { $0 } }
        set { currentIdentifier.withLock { $0 = newValue } }
    }
}
