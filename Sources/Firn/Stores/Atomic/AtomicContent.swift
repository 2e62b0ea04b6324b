public import FirnFoundation
public import FirnModel
public import Foundation

/// The nodes of an atomic store, and what a save under way has changed of them.
struct AtomicContent: @unchecked Sendable {
    var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
    /// The highest number that was given to a new object.
    private(set) var lastReference: Int64 = 0
    private var undo = Undo()

    /// The state that `rollBack` restores.
    private struct Undo {
        var added: [NSManagedObjectID] = []
        var removed: [NSAtomicStoreCacheNode] = []
        var changed: [(node: NSAtomicStoreCacheNode, values: NSMutableDictionary?)] = []
        var references: [(root: UInt32, primaryKey: Int64)] = []
    }

    mutating func nextReference() -> Int64 {
        lastReference += 1
        return lastReference
    }

    /// Numbers up to this one are in use.
    mutating func advanceReference(_ reference: Int64) { lastReference = max(lastReference, reference) }

    mutating func recordAssigned(root: UInt32, primaryKey: Int64) { undo.references.append((root, primaryKey)) }

    mutating func add(_ node: NSAtomicStoreCacheNode) {
        nodes[node.objectID] = node
        undo.added.append(node.objectID)
    }

    mutating func remove(_ id: NSManagedObjectID) {
        if let node = nodes.removeValue(forKey: id) { undo.removed.append(node) }
    }

    mutating func willChange(_ node: NSAtomicStoreCacheNode) {
        undo.changed.append((node, node.propertyCache?.mutableCopy() as? NSMutableDictionary))
    }

    /// Makes the nodes what they were before the save. Gives the keys whose references are free again.
    mutating func rollBack() -> [(root: UInt32, primaryKey: Int64)] {
        for (node, values) in undo.changed.reversed() { node.propertyCache = values }
        for id in undo.added { nodes[id] = nil }
        for node in undo.removed { nodes[node.objectID] = node }
        defer { undo = Undo() }
        return undo.references
    }

    /// The save is done.
    mutating func commit() { undo = Undo() }
}

/// An object of an atomic store: attributes in the types of Apple's API, relationships as other nodes, or sets or
/// arrays of them.
/// https://developer.apple.com/documentation/coredata/nsatomicstorecachenode
open class NSAtomicStoreCacheNode: NSObject, KeyValueCoding, @unchecked Sendable {
    /// The object that it belongs to.
    open private(set) var objectID: NSManagedObjectID
    /// The values by property name.
    open var propertyCache: NSMutableDictionary?

    /// A node for an object.
    public init(objectID moid: NSManagedObjectID) {
        objectID = moid
        super.init()
    }

    open func value(forKey key: String) -> Any? {
        let value = propertyCache?.object(forKey: key)
        return value is NSNull ? nil : value
    }

    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        propertyCache = cache
        if let value { cache.setObject(value, forKey: key as NSString) } else { cache.removeObject(forKey: key) }
    }
}
