import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Puts the nodes that an atomic store has loaded into the tables in memory, as one change set.
///
/// A relationship may be told by one side only; the other one follows.
package struct AtomicLoading {
    /// Named in errors.
    private let store: AnyObject
    private let engine: StoreEngine
    private let nodes: [NSAtomicStoreCacheNode]

    package init(_ store: AnyObject, _ engine: StoreEngine, _ nodes: [NSAtomicStoreCacheNode]) {
        self.store = store
        self.engine = engine
        self.nodes = nodes.sorted { $0.objectID.key.primaryKey < $1.objectID.key.primaryKey }
    }

    /// A to-one side of a relationship as the nodes have it, by the object and its slot.
    private struct ToOne: Hashable {
        let id: NSManagedObjectID
        let slot: Int
    }

    package func run() throws {
        if nodes.isEmpty { return }
        var told: [ToOne: (owner: NSManagedObjectID, position: Int64)] = [:]
        var links = LinkSets(engine.schema)
        for node in nodes {
            for slot in node.layout.toManySlots where !node.layout.slots[slot].isTransient {
                let info = node.layout.slots[slot]
                let members = try self.members(of: node, info)
                if let inverse = info.toMany?.toOneInverseSlot {
                    for (index, member) in members.enumerated() {
                        told[ToOne(id: member, slot: inverse)] = (node.objectID, Int64(index))
                    }
                } else {
                    for (index, member) in members.enumerated() {
                        links.add(node.objectID.key, member.key, info, position: Int64(index))
                    }
                }
            }
        }
        let changes = ChangeSet(model: engine.modelSequence, groups: try groups(told), links: links.groups(\.added))
        var transaction = Transaction(TransactionHeader.ofProcess(date: SystemClock.now()), changes)
        // The file has them.
        transaction.derives = false
        _ = try engine.commit(engine.prepare(transaction))
    }

    private func groups(
        _ told: [ToOne: (owner: NSManagedObjectID, position: Int64)]
    ) throws -> [ChangeGroup] {
        var groups: [ChangeGroup] = []
        for (_, members) in Dictionary(grouping: nodes, by: \.objectID.entityNumber).sorted(by: { $0.key < $1.key }) {
            let layout = members[0].layout
            var columns = layout.storedSlots.map { Column(layout.slots[$0].storage) }
            for node in members {
                for (index, slot) in layout.storedSlots.enumerated() {
                    columns[index].append(try value(layout.slots[slot], of: node, told))
                }
            }
            let group = ChangeGroup(
                entity: members[0].objectID.key.entity, operation: .insert,
                primaryKeys: members.map(\.objectID.key.primaryKey), slots: layout.storedSlots.map(UInt16.init),
                new: columns)
            groups.append(group.withoutNullColumns)
        }
        return groups
    }

    private func value(
        _ info: Slot, of node: NSAtomicStoreCacheNode,
        _ told: [ToOne: (owner: NSManagedObjectID, position: Int64)]
    ) throws -> PropertyValue {
        switch info.kind {
        case .position(let toOne):
            return (told[ToOne(id: node.objectID, slot: toOne)]?.position).map(PropertyValue.integer) ?? .null
        case .toOne:
            let own = try node.value(forKey: info.name).map { try id($0, info) }
            guard let id = own ?? told[ToOne(id: node.objectID, slot: info.index)]?.owner else { return .null }
            return .reference(id.key)
        default:
            let found = ValueCoding.attribute(info, { node.value(forKey: $0.name) }, node.objectID.entity)
            guard let found else { return .null }
            return try ValueCoding.stored(found, info)
        }
    }

    private func members(of node: NSAtomicStoreCacheNode, _ info: Slot) throws -> [NSManagedObjectID] {
        try node.value(forKey: info.name).map { try StoreAnswers.list($0).map { try id($0, info) } } ?? []
    }

    private func id(_ value: Any, _ info: Slot) throws -> NSManagedObjectID {
        if let id = (value as? NSAtomicStoreCacheNode)?.objectID ?? value as? NSManagedObjectID { return id }
        throw CoreDataError.make(
            .persistentStoreOpen,
            "\(type(of: store)) loaded a node whose relationship \"\(info.name)\" is a \(type(of: value)): give cache "
                + "nodes, or sets or arrays of them",
            [NSAffectedStoresErrorKey: [store]])
    }
}

extension NSAtomicStoreCacheNode {
    fileprivate var layout: EntityLayout { objectID.entity.layout }
}

extension NSManagedObjectID {
    fileprivate var key: ObjectKey { ObjectKey(self) }
}
