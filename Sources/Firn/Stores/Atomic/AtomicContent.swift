import FirnModel
import FirnStore
import Foundation

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
