package import FirnLog

/// The tables and columns for a log's model.
///
///     entity tree                 table "Animal"
///     Animal   name, owner        Z_PK │ Z_ENT │ Z_OPT │ name │ owner │ Z_ENT_owner │ barks │ wingspan
///     ├─ Dog   barks              ─────┼───────┼───────┼──────┼───────┼─────────────┼───────┼─────────
///     └─ Bird  wingspan
///
/// One table holds a root entity with all its subentities. Members of relationships without a to-one side are in
/// link tables. The layout is a function of the model alone: the same model gives the same tables, in the same
/// order, with the same names.
package struct TableLayout: Sendable {
    package let tables: [Table]
    package let links: [LinkTable]
    /// By entity number.
    package let places: [EntityPlace?]
    /// How rows of each entity, with those below it, are read. By entity number.
    private let shapes: [RowShape?]
    /// The model that the tables were laid out for.
    package let model: LogModel

    init(tables: [Table], links: [LinkTable], places: [EntityPlace?], model: LogModel) {
        self.tables = tables
        self.links = links
        self.places = places
        self.model = model
        shapes = places.map { $0.map { RowShape($0, places: places) } }
    }

    func shape(_ entity: EntityNumber) -> RowShape {
        guard let shape = shapes[Int(existingPlace(entity).number.rawValue)] else {
            fatalError("entity \(entity.rawValue) is not in the model of this store")
        }
        return shape
    }

    /// The place of an entity of this layout's model; nil for a number that the model does not have.
    package func place(_ entity: EntityNumber) -> EntityPlace? {
        let index = Int(entity.rawValue)
        return index < places.count ? places[index] : nil
    }

    /// The place of an entity that the caller knows to be in the model.
    package func existingPlace(_ entity: EntityNumber) -> EntityPlace {
        guard let place = place(entity) else {
            fatalError("entity \(entity.rawValue) is not in the model of this store")
        }
        return place
    }
}

/// One property of one entity, by numbers.
package struct PropertyPlace: Hashable, Sendable {
    package var entity: EntityNumber
    package var slot: Int

    package init(entity: EntityNumber, slot: Int) {
        self.entity = entity
        self.slot = slot
    }
}

/// The table of a root entity.
package struct Table: Hashable, Sendable {
    package var name: String
    package var root: EntityNumber
    /// The root and all entities below it, ascending.
    package var entities: [EntityNumber]
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`.
    package var columns: [StoredColumn]
    package var indexes: [TableIndex]
    package var ranges: [RangeIndex] = []
    package var words: [WordIndex] = []
}

/// A column that is there because of a property.
package struct StoredColumn: Hashable, Sendable {
    package var name: String
    package var type: StorageType
}

/// An index of a table. Uniqueness is decided by the object graph: no index is unique.
package struct TableIndex: Hashable, Sendable {
    package struct Element: Hashable, Sendable {
        /// A quoted column name or an SQL expression.
        package var sql: String
        package var isDescending = false
    }

    package var name: String
    package var elements: [Element]
    /// For a partial index.
    package var condition: String?
}

/// The members of a relationship without a to-one side, and of its inverse.
package struct LinkTable: Hashable, Sendable {
    package var name: String
    /// The canonical side, at the entity that declares it. Its objects are in `Z_SRC`.
    package var property: PropertyPlace
    package var destination: EntityNumber
    /// Whether `Z_SRC_ENT` holds the concrete entity of the source; else it is the declaring entity.
    package var hasSourceEntity: Bool
    package var hasDestinationEntity: Bool
    /// Whether `Z_SRC_ORD` holds the position of the destination in the source's relationship.
    package var hasSourceOrder: Bool
    package var hasDestinationOrder: Bool
}

/// Where the objects of one entity are.
package final class EntityPlace: Sendable {
    package let number: EntityNumber
    package let name: String
    package let parent: EntityNumber?
    package let root: EntityNumber
    /// Index into `TableLayout.tables`.
    package let table: Int
    package let tableName: String
    /// The entity and all below it, ascending.
    package let subtree: [EntityNumber]
    /// Whether `subtree` is everything in the table, so that a fetch need not check `Z_ENT`.
    package let isWholeTable: Bool
    package let slots: [SlotPlace]
    /// The slots that have a column, ascending.
    package let storedSlots: [Int]

    init(
        number: EntityNumber, name: String, parent: EntityNumber?, root: EntityNumber, table: Int,
        tableName: String, subtree: [EntityNumber], isWholeTable: Bool, slots: [SlotPlace]
    ) {
        self.number = number
        self.name = name
        self.parent = parent
        self.root = root
        self.table = table
        self.tableName = tableName
        self.subtree = subtree
        self.isWholeTable = isWholeTable
        self.slots = slots
        storedSlots = slots.indices.filter { slots[$0].column != nil }
    }

    package func slot(named name: String) -> Int? { slots.firstIndex { $0.name == name } }
}

/// Where the values of one property are.
package struct SlotPlace: Hashable, Sendable {
    package var name: String
    package var kind: LogProperty.Kind
    package var storage: StorageType
    /// Nil for a property without a column: a to-many, a transient one.
    package var column: String?
    /// For a to-one whose destination has subentities: the column of the concrete entity.
    package var entityColumn: String?
    /// For a relationship.
    package var destination: EntityNumber?
    /// For a to-many without a to-one inverse.
    package var link: LinkPlace?

    /// Whether the values are decimal numbers, which compare by their own collation.
    package var isDecimal: Bool { kind == .attribute(.decimal) }
}

/// The link table of a relationship's members, and its side.
package struct LinkPlace: Hashable, Sendable {
    /// Index into `TableLayout.links`.
    package var table: Int
    /// Whether the owner is the source.
    package var isCanonical: Bool
}

/// Details of the tables that a log's model does not have.
package struct LayoutDetails: Sendable {
    /// An index that the model declares.
    package struct Index: Hashable, Sendable {
        /// A property, or an expression in SQL.
        package enum Element: Hashable, Sendable {
            case slot(Int)
            case sql(String)
        }

        package var name: String
        package var entity: EntityNumber
        package var elements: [Element]
        package var descending: [Bool]
        /// SQL that is true of the rows in a partial index.
        package var condition: String?
        /// Whether texts are also indexed in the order in which fetches sort them.
        package var keepsTextOrder = false
        /// The elements with case-insensitive texts, if the model has such an index.
        package var foldedElements: [Element]?
        /// Whether the elements are numbers for range queries in an R-tree.
        package var isRange = false
        /// Whether the elements are texts whose words are indexed.
        package var isOfWords = false

        package init(name: String, entity: EntityNumber, slots: [Int], descending: [Bool]) {
            self.init(name: name, entity: entity, elements: slots.map { .slot($0) }, descending: descending)
        }

        init(name: String, entity: EntityNumber, elements: [Element], descending: [Bool]) {
            self.name = name
            self.entity = entity
            self.elements = elements
            self.descending = descending
        }
    }

    /// From each side of a many-to-many relationship to the other, at the entities that declare them.
    package var inverses: [PropertyPlace: PropertyPlace]
    package var indexes: [Index]

    package init(inverses: [PropertyPlace: PropertyPlace] = [:], indexes: [Index] = []) {
        self.inverses = inverses
        self.indexes = indexes
    }
}
