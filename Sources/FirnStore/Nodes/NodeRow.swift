package import FirnLog
public import FirnModel
package import FirnProjection
public import Foundation

/// An object's node as a row.
package struct NodeRow {
    private let node: NSIncrementalStoreNode
    private let id: NSManagedObjectID
    private let answers: StoreAnswers

    package init(_ node: NSIncrementalStoreNode, of id: NSManagedObjectID, _ answers: StoreAnswers) {
        self.node = node
        self.id = id
        self.answers = answers
    }

    /// The row, with `key`. `destination` gives what a to-one relationship leads to that the node does not have.
    package func batch(
        _ key: ObjectKey, destination: (NSRelationshipDescription) throws -> Any
    ) throws -> RowBatch {
        let layout = id.entity.layout
        var columns = [Column?](repeating: nil, count: layout.slots.count)
        for slot in layout.storedSlots {
            var column = Column(layout.slots[slot].storage)
            column.append(try value(layout.slots[slot], destination))
            columns[slot] = column
        }
        return RowBatch(
            entity: key.entity, primaryKeys: [key.primaryKey], versions: [Int64(clamping: node.version)],
            columns: columns)
    }

    private func value(
        _ info: Slot, _ destination: (NSRelationshipDescription) throws -> Any
    ) throws -> PropertyValue {
        switch info.kind {
        case .position: return .null
        case .toOne:
            guard let relationship = info.relationship else { return .null }
            let value = try node.value(for: relationship) ?? destination(relationship)
            guard !(value is NSNull) else { return .null }
            return .reference(ObjectKey(try answers.id(value, of: info.name)))
        default:
            guard let value = ValueCoding.attribute(info, { node.value(for: $0) }, id.entity) else { return .null }
            return try ValueCoding.stored(value, info)
        }
    }

    /// The members of the to-many relationships that the node has, by slot.
    package func members() throws -> [Int: [ObjectKey]] {
        let layout = id.entity.layout
        var lists: [Int: [ObjectKey]] = [:]
        for slot in layout.toManySlots {
            guard let relationship = layout.slots[slot].relationship, !relationship.isTransient,
                let value = node.value(for: relationship)
            else { continue }
            lists[slot] = try answers.keys(value, of: relationship.name)
        }
        return lists
    }
}

/// An object's values as an incremental store has them: attributes in the types of Apple's API, to-one relationships as
/// object IDs, nothing as `NSNull` or left out.
/// https://developer.apple.com/documentation/coredata/nsincrementalstorenode
open class NSIncrementalStoreNode: NSObject {
    /// The object that it belongs to.
    open private(set) var objectID: NSManagedObjectID
    /// Rises with every change of the object; what conflicts are told by.
    open private(set) var version: UInt64
    private var values: [String: Any]

    /// A row of an incremental store.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
    }

    /// Takes newer values; those of other properties stay.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values.merge(values) { $1 }
        self.version = version
    }

    /// The value of a property; nil if the node does not tell it.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
