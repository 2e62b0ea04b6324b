import FirnLog
public import FirnModel
import FirnStore
public import Foundation

/// The change of one object in a transaction.
/// https://developer.apple.com/documentation/coredata/nspersistenthistorychange
open class NSPersistentHistoryChange: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    /// Unique within the store, rising with the transactions.
    open private(set) var changeID: Int64
    /// The object that was changed.
    open private(set) var changedObjectID: NSManagedObjectID
    /// Whether it was inserted, updated or deleted.
    open private(set) var changeType: NSPersistentHistoryChangeType
    /// The transaction that the change is part of, however the change was fetched.
    open var transaction: NSPersistentHistoryTransaction? { source.transaction }
    private let source: TransactionSource
    private let group: ChangeGroup
    private let row: Int

    /// A transaction has room for 2²⁰ changes before their IDs reach into the next one's.
    private static let changesOfTransaction: Int64 = 1 << 20

    private init(
        id: Int64, _ objectID: NSManagedObjectID, _ type: NSPersistentHistoryChangeType, _ group: ChangeGroup,
        _ row: Int, _ source: TransactionSource
    ) {
        changeID = id
        changedObjectID = objectID
        changeType = type
        self.group = group
        self.row = row
        self.source = source
    }

    static func all(of source: TransactionSource) -> [NSPersistentHistoryChange] {
        let store = source.store
        var result: [NSPersistentHistoryChange] = []
        let first = Int64(source.record.sequence.rawValue) * changesOfTransaction
        for group in source.changes.groups {
            guard let type = NSPersistentHistoryChangeType(group.operation) else { continue }
            for (row, primaryKey) in group.primaryKeys.enumerated() {
                let key = ObjectKey(entity: group.entity, primaryKey: primaryKey)
                guard let id = store.objectID(for: key) else { continue }
                result.append(
                    NSPersistentHistoryChange(
                        id: first + Int64(result.count), id, type, group, row, source))
            }
        }
        return result
    }

    /// Of an update, the properties that changed. A composite attribute changes with any of its elements.
    open var updatedProperties: Set<NSPropertyDescription>? {
        let properties = changedObjectID.entity.propertiesByName
        return changedSlots.map { Set($0.compactMap { properties[$0.propertyName] }) }
    }

    /// Of an update, the names of the values that changed: of an element of a composite attribute, `place.city`.
    package var changedNames: Set<String>? {
        changedSlots.map { Set($0.lazy.filter { $0.isPublicProperty || $0.isCompositeLeaf }.map(\.name)) }
    }

    /// Whether the record tells the value of a slot, be it by not naming it: it may be from before a migration that
    /// added it, or that stored it in another way.
    func states(_ slot: Int) -> Bool {
        if let index = group.slots.firstIndex(of: UInt16(slot)) {
            return [group.new, group.old].contains { !$0.isEmpty && $0[index].type != .none }
        }
        return source.steps.isEmpty || source.steps.source(of: UInt16(slot), of: group.entity) != nil
    }

    private var changedSlots: [Slot]? {
        guard changeType == .update else { return nil }
        let slots = changedObjectID.entity.layout.slots
        return group.slots.map { slots[Int($0)] }
    }

    /// Of a deletion, the values that attributes marked "preserve after deletion" had.
    open var tombstone: [AnyHashable: Any]? {
        guard changeType == .delete else { return nil }
        var result: [AnyHashable: Any] = [:]
        for (name, value) in oldValues {
            let name = StatedName(name)
            let attribute = changedObjectID.entity.attributesByName[name.property]
            guard attribute?.preservesValueInHistoryOnDeletion == true else { continue }
            result[name.property] = name.set(value, in: result[name.property])
        }
        return result.isEmpty ? nil : result
    }

    /// The values before the change: of an update the changed properties', of a deletion all. To-one relationships
    /// are object IDs; elements of composite attributes are named `place.city`; properties that were nil are absent.
    /// Ours, not Apple's.
    public var oldValues: [String: Any] { values(group.old) { try? source.store.value($0, $1) } }

    /// Reads the values before the change. Throws for a large value whose file cannot be read, which `oldValues` leaves
    /// out.
    package func readOldValues() throws -> [String: Any] {
        try values(group.old) { try source.store.value($0, $1) }
    }

    /// The values after the change: of an update the changed properties', of an insertion all. Ours, not Apple's.
    public var newValues: [String: Any] { values(group.new) { try? source.store.value($0, $1) } }

    private func values(
        _ columns: [Column], _ read: (PropertyValue, Slot) throws -> Any?
    ) rethrows -> [String: Any] {
        let slots = changedObjectID.entity.layout.slots
        var result: [String: Any] = [:]
        for (index, column) in columns.enumerated() where column.type != .none {
            let info = slots[Int(group.slots[index])]
            if case .position = info.kind { continue }
            if let value = try read(column[row], info) { result[info.name] = value }
        }
        return result
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "<NSPersistentHistoryChange: \(changeType) \(changedObjectID.uriRepresentation())>"
    }
}

/// https://developer.apple.com/documentation/coredata/nspersistenthistorychangetype
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The object was inserted.
    case insert = 0
    /// The object was updated.
    case update = 1
    /// The object was deleted.
    case delete = 2

    init?(_ operation: ChangeGroup.Operation) {
        switch operation {
        case .insert: self = .insert
        case .update: self = .update
        case .delete: self = .delete
        case .refresh: return nil
        }
    }
}
