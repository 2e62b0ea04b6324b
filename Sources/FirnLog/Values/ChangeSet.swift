/// All object changes of one save, in columns.
///
/// Objects are grouped by entity, operation and the set of properties that changed, so that a save of 200,000
/// objects is a handful of groups with typed columns, and a save of one object is one group with columns of one row.
public struct ChangeSet: Hashable, Sendable {
    /// The record that carries the model in whose terms entities and slots are meant.
    public var model: SequenceNumber
    public var groups: [ChangeGroup]
    /// Members that many-to-many and one-sided to-many relationships gained or lost.
    public var links: [LinkGroup]

    public init(model: SequenceNumber, groups: [ChangeGroup] = [], links: [LinkGroup] = []) {
        self.model = model
        self.groups = groups
        self.links = links
    }

    public var isEmpty: Bool { groups.isEmpty && links.isEmpty }

    /// How many objects the change set contains.
    public var objectCount: Int { groups.reduce(0) { $0 + $1.primaryKeys.count } }
}

/// Objects of one entity to which the same thing happened, to the same properties.
///
///     insert   slots = stored properties that are not null in some row;  new = their values;  old is empty
///     update   slots = the properties that changed;                      new and old = their values
///     delete   slots = stored properties that are not null in some row;  old = the last row;  new is empty
///     refresh  slots, new and old are empty: the object was read again, nothing was written
///
/// A to-many relationship among the slots of an update has `touched` columns: the save changed who is in it. Its
/// members are in their own to-one column, or in a `LinkGroup`.
public struct ChangeGroup: Hashable, Sendable {
    public enum Operation: UInt8, Hashable, Sendable, CaseIterable {
        case insert = 1
        case update = 2
        case delete = 3
        case refresh = 4
    }

    public var entity: EntityNumber
    public var operation: Operation
    public var primaryKeys: [Int64]
    /// Ascending. A slot is an index into the properties of the entity in the change set's model.
    public var slots: [UInt16]
    /// Parallel to `slots`; each has as many rows as there are primary keys.
    public var new: [Column]
    /// Parallel to `slots`; each has as many rows as there are primary keys.
    public var old: [Column]

    public init(
        entity: EntityNumber, operation: Operation, primaryKeys: [Int64] = [], slots: [UInt16] = [],
        new: [Column] = [], old: [Column] = []
    ) {
        self.entity = entity
        self.operation = operation
        self.primaryKeys = primaryKeys
        self.slots = slots
        self.new = new
        self.old = old
    }
}

/// Members that one relationship without a to-one side gained and lost.
///
/// A pair of inverse relationships has one link table and one link group, named by the side that
/// the model calls canonical: see `LogProperty.Kind.toMany`.
public struct LinkGroup: Hashable, Sendable {
    /// The entity that declares the canonical side, and its slot there.
    public var entity: EntityNumber
    public var slot: UInt16
    public var removed: [Link]
    public var added: [Link]

    public init(entity: EntityNumber, slot: UInt16, removed: [Link] = [], added: [Link] = []) {
        self.entity = entity
        self.slot = slot
        self.removed = removed
        self.added = added
    }
}

/// One membership. A changed position is a removal and an addition of the same pair.
public struct Link: Hashable, Sendable {
    /// The object on the canonical side.
    public var source: ObjectKey
    public var destination: ObjectKey
    /// Position of `destination` in the source's ordered relationship; 0 where it is not ordered.
    public var sourceOrder: Int64
    /// Position of `source` in the destination's ordered inverse; 0 where it is not ordered.
    public var destinationOrder: Int64

    public init(
        source: ObjectKey, destination: ObjectKey, sourceOrder: Int64 = 0, destinationOrder: Int64 = 0
    ) {
        self.source = source
        self.destination = destination
        self.sourceOrder = sourceOrder
        self.destinationOrder = destinationOrder
    }
}
