public import Foundation

/// How a table holds its objects, and which of them are equal.
///
/// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
public enum NSPointerFunctions {
    /// Choices for the keys or the values of a table.
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Retains the objects, as a table does without another choice.
        public static let strongMemory: Options = []
        /// Drops an object when nothing else retains it.
        public static let weakMemory = Options(rawValue: 5)
        /// Compares by `isEqual(_:)`, as a table does without another choice.
        public static let objectPersonality: Options = []
        /// Compares by identity.
        public static let objectPointerPersonality = Options(rawValue: 512)
        /// Retains a copy.
        public static let copyIn = Options(rawValue: 65_536)
    }
}

/// An object that a table holds.
struct TableSlot {
    private let retained: AnyObject?
    private weak var unretained: AnyObject?

    init(_ object: AnyObject, _ options: NSPointerFunctions.Options) {
        let copied = options.contains(.copyIn) ? (object as? any NSCopying)?.copy() as AnyObject? : nil
        retained = options.contains(.weakMemory) ? nil : copied ?? object
        unretained = object
    }

    /// The object, unless it was weak and is released.
    var object: AnyObject? { retained ?? unretained }
}

/// The keys of a table with their values, by the keys' hashes.
struct TableEntries<Value> {
    typealias Entry = (key: TableSlot, value: Value)

    let options: NSPointerFunctions.Options
    private var buckets: [Int: [Entry]] = [:]
    /// The number of entries at which those of released keys are dropped.
    private var sweepCount = 32
    private var entryCount = 0

    init(_ options: NSPointerFunctions.Options) { self.options = options }

    /// The entries whose keys live.
    var living: [(key: AnyObject, value: Value)] {
        buckets.values.joined().compactMap { entry in entry.key.object.map { ($0, entry.value) } }
    }

    subscript(key: AnyObject) -> (key: AnyObject, value: Value)? {
        for entry in buckets[hash(of: key)] ?? [] {
            if let object = entry.key.object, isSame(object, key) { return (object, entry.value) }
        }
        return nil
    }

    mutating func set(_ value: Value, for key: AnyObject) {
        remove(key)
        buckets[hash(of: key), default: []].append((TableSlot(key, options), value))
        entryCount += 1
        if entryCount >= sweepCount { sweep() }
    }

    mutating func remove(_ key: AnyObject) {
        let hash = hash(of: key)
        guard let bucket = buckets[hash] else { return }
        let rest = bucket.filter { entry in entry.key.object.map { !isSame($0, key) } ?? false }
        entryCount -= bucket.count - rest.count
        buckets[hash] = rest.isEmpty ? nil : rest
    }

    mutating func removeAll() {
        buckets = [:]
        entryCount = 0
    }

    private mutating func sweep() {
        buckets = buckets.mapValues { $0.filter { $0.key.object != nil } }.filter { !$0.value.isEmpty }
        entryCount = buckets.values.reduce(0) { $0 + $1.count }
        sweepCount = max(32, 2 * entryCount)
    }

    private func hash(of key: AnyObject) -> Int {
        if !options.contains(.objectPointerPersonality), let object = key as? NSObject { return object.hash }
        return ObjectIdentifier(key).hashValue
    }

    private func isSame(_ first: AnyObject, _ second: AnyObject) -> Bool {
        if first === second { return true }
        if options.contains(.objectPointerPersonality) { return false }
        return (first as? NSObject)?.isEqual(second) ?? false
    }
}

/// A set of objects that need not be retained. Its elements may be a protocol's.
///
/// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3. Use it on one thread at a time.
open class NSHashTable<ObjectType>: NSObject {
    private var entries: TableEntries<Void>

    /// An empty set.
    public init(options: NSPointerFunctions.Options = [], capacity: Int = 0) { entries = TableEntries(options) }

    /// A set that drops an object when nothing else retains it.
    public class func weakObjects() -> NSHashTable<ObjectType> { NSHashTable(options: .weakMemory) }

    /// The number of objects that live.
    open var count: Int { entries.living.count }
    /// The objects that live, in no order.
    open var allObjects: [ObjectType] { entries.living.compactMap { $0.key as? ObjectType } }
    /// One of the objects.
    open var anyObject: ObjectType? { allObjects.first }

    /// Returns the object of the set that equals another.
    open func member(_ object: ObjectType?) -> ObjectType? {
        object.flatMap { entries[$0 as AnyObject]?.key as? ObjectType }
    }

    /// Whether an object of the set equals another.
    open func contains(_ object: ObjectType?) -> Bool { member(object) != nil }

    /// Adds an object, unless the set has an equal one.
    open func add(_ object: ObjectType?) {
        guard let object, !contains(object) else { return }
        entries.set((), for: object as AnyObject)
    }

    /// Removes the object that equals another.
    open func remove(_ object: ObjectType?) {
        if let object { entries.remove(object as AnyObject) }
    }

    /// Removes all objects.
    open func removeAllObjects() { entries.removeAll() }

    /// Returns an enumerator of the objects as they are now.
    open func objectEnumerator() -> NSEnumerator { NSArray(array: allObjects).objectEnumerator() }
}

/// A dictionary whose keys and values need not be retained. Both may be a protocol's.
///
/// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3. Use it on one thread at a time.
open class NSMapTable<KeyType, ObjectType>: NSObject {
    private var entries: TableEntries<TableSlot>
    private let valueOptions: NSPointerFunctions.Options

    /// An empty dictionary.
    public init(
        keyOptions: NSPointerFunctions.Options = [], valueOptions: NSPointerFunctions.Options = [], capacity: Int = 0
    ) {
        entries = TableEntries(keyOptions)
        self.valueOptions = valueOptions
    }

    /// A dictionary that retains keys and values.
    public class func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable() }
    /// A dictionary that retains its values as long as their keys live.
    public class func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable(keyOptions: .weakMemory) }
    /// A dictionary that retains its keys.
    public class func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(valueOptions: .weakMemory)
    }
    /// A dictionary that retains neither.
    public class func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    /// The number of keys that live with their values.
    open var count: Int { living.count }

    private var living: [(key: AnyObject, value: AnyObject)] {
        entries.living.compactMap { key, slot in slot.object.map { (key, $0) } }
    }

    /// Returns the value of a key.
    open func object(forKey key: KeyType?) -> ObjectType? {
        key.flatMap { entries[$0 as AnyObject]?.value.object as? ObjectType }
    }

    /// Sets the value of a key.
    open func setObject(_ object: ObjectType?, forKey key: KeyType?) {
        guard let object, let key else { return }
        entries.set(TableSlot(object as AnyObject, valueOptions), for: key as AnyObject)
    }

    /// Removes a key with its value.
    open func removeObject(forKey key: KeyType?) {
        if let key { entries.remove(key as AnyObject) }
    }

    /// Removes all keys with their values.
    open func removeAllObjects() { entries.removeAll() }

    /// Returns an enumerator of the keys as they are now.
    open func keyEnumerator() -> NSEnumerator { NSArray(array: living.map(\.key)).objectEnumerator() }

    /// Returns an enumerator of the values as they are now.
    open func objectEnumerator() -> NSEnumerator? { NSArray(array: living.map(\.value)).objectEnumerator() }

    /// Returns the keys with their values.
    open func dictionaryRepresentation() -> [AnyHashable: Any] {
        let pairs = living.compactMap { key, value in (key as? AnyHashable).map { ($0, value as Any) } }
        return Dictionary(pairs) { _, last in last }
    }
}
