package import FirnLog

extension TableLayout {
    /// Lays out the tables of `model`. Entities are processed by number, so that clashing names get the same
    /// replacement each time.
    package init(_ model: LogModel, details: LayoutDetails = LayoutDetails()) {
        var builder = LayoutBuilder(model: model, details: details)
        builder.placeRoots()
        builder.placeLinks()
        let places = builder.makePlaces()
        builder.addIndexes(places)
        self.init(
            tables: builder.tables, links: builder.links, places: places, model: model)
    }
}

/// The steps of laying out tables.
///
/// Sibling entities share a column if their properties have the same name and the same kind of value. A row has one
/// concrete entity, so it holds only one of these values. If siblings differ, or names differ by case alone, the later
/// entity's column is called `E<entity>_<name>`.
struct LayoutBuilder {
    let details: LayoutDetails
    let entities: [LogEntity]
    private let byNumber: [EntityNumber: LogEntity]
    private let tree: EntityTree
    var tables: [Table] = []
    private(set) var links: [LinkTable] = []
    private var tableOfRoot: [EntityNumber: Int] = [:]
    var names = NameRegister()
    private var linkOfProperty: [PropertyPlace: LinkPlace] = [:]
    /// Columns of each table by the property's name.
    private var columns: [PropertyPlace: (column: String, entityColumn: String?)] = [:]

    init(model: LogModel, details: LayoutDetails) {
        self.details = details
        entities = model.entities.sorted { $0.number < $1.number }
        byNumber = Dictionary(
            entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        tree = EntityTree(entities)
    }

    private func subtree(of entity: EntityNumber) -> [EntityNumber] { tree.subtree(of: entity) }

    /// The entity that declares a slot: the highest one that has it.
    private func declarer(of place: PropertyPlace) -> PropertyPlace {
        PropertyPlace(entity: tree.declarer(of: place.slot, in: place.entity), slot: place.slot)
    }

    mutating func placeRoots() {
        for entity in entities where tree.root(of: entity.number) == entity.number {
            let name = names.register(entity.name, elsePrefix: "E\(entity.number.rawValue)")
            tableOfRoot[entity.number] = tables.count
            tables.append(
                Table(
                    name: name, root: entity.number, entities: subtree(of: entity.number),
                    columns: [], indexes: []))
        }
        for index in tables.indices { placeColumns(of: index) }
    }

    /// The properties of a column that two siblings must agree on to share it.
    private struct Sharing: Hashable {
        var name: String
        var kind: LogProperty.Kind
    }

    private mutating func placeColumns(of table: Int) {
        var register = NameRegister()
        var shared: [Sharing: (column: String, entityColumn: String?)] = [:]
        for number in parentsFirst(tables[table].entities) {
            guard let entity = byNumber[number] else { continue }
            for (slot, property) in entity.properties.enumerated() {
                let place = PropertyPlace(entity: number, slot: slot)
                if let inherited = columns[declarer(of: place)] {
                    columns[place] = inherited
                    continue
                }
                guard property.storage != .none else { continue }
                let sharing = Sharing(name: property.name, kind: property.kind)
                if let sibling = shared[sharing] {
                    columns[place] = sibling
                    continue
                }
                let made = makeColumn(property, of: number, in: table, &register)
                columns[place] = made
                shared[sharing] = made
            }
        }
    }

    private mutating func makeColumn(
        _ property: LogProperty, of entity: EntityNumber, in table: Int,
        _ register: inout NameRegister
    ) -> (column: String, entityColumn: String?) {
        let name: String
        if case .position = property.kind {
            name = register.registerReserved(property.name)
        } else {
            name = register.register(property.name, elsePrefix: "E\(entity.rawValue)")
        }
        tables[table].columns.append(StoredColumn(name: name, type: property.storage))
        var entityColumn: String?
        if case .toOne(let destination) = property.kind, subtree(of: destination).count > 1 {
            let column = register.registerReserved("Z_ENT_" + name)
            tables[table].columns.append(StoredColumn(name: column, type: .integer))
            entityColumn = column
        }
        return (name, entityColumn)
    }

    /// A superentity that was added later has a higher number than its subentity.
    private func parentsFirst(_ numbers: [EntityNumber]) -> [EntityNumber] {
        numbers.map { (tree.depth(of: $0), $0) }.sorted { $0 < $1 }.map(\.1)
    }

    mutating func placeLinks() {
        for entity in entities {
            for (slot, property) in entity.properties.enumerated() {
                let place = PropertyPlace(entity: entity.number, slot: slot)
                guard declarer(of: place) == place,
                    case .toMany(let destination, nil, let isOrdered, true) = property.kind
                else { continue }
                let inverse = details.inverses[place]
                let index = links.count
                links.append(
                    LinkTable(
                        name: names.registerReserved("Z_\(entity.name)_\(property.name)"),
                        property: place, destination: destination,
                        hasSourceEntity: subtree(of: entity.number).count > 1,
                        hasDestinationEntity: subtree(of: destination).count > 1,
                        hasSourceOrder: isOrdered,
                        hasDestinationOrder: inverse.map(isOrderedToMany) ?? false))
                linkOfProperty[place] = LinkPlace(table: index, isCanonical: true)
                if let inverse, inverse != place {
                    linkOfProperty[inverse] = LinkPlace(table: index, isCanonical: false)
                }
            }
        }
    }

    private func isOrderedToMany(_ place: PropertyPlace) -> Bool {
        guard let entity = byNumber[place.entity], place.slot < entity.properties.count,
            case .toMany(_, _, let isOrdered, _) = entity.properties[place.slot].kind
        else { return false }
        return isOrdered
    }

    func makePlaces() -> [EntityPlace?] {
        let last = entities.last.map { Int($0.number.rawValue) } ?? -1
        var places = [EntityPlace?](repeating: nil, count: last + 1)
        for entity in entities {
            let root = tree.root(of: entity.number)
            guard let table = tableOfRoot[root] else { continue }
            let slots = entity.properties.enumerated().map { slot, property in
                slotPlace(property, PropertyPlace(entity: entity.number, slot: slot))
            }
            let below = subtree(of: entity.number)
            places[Int(entity.number.rawValue)] = EntityPlace(
                number: entity.number, name: entity.name, parent: entity.parent, root: root,
                table: table, tableName: tables[table].name, subtree: below,
                isWholeTable: below.count == tables[table].entities.count, slots: slots)
        }
        return places
    }

    private func slotPlace(_ property: LogProperty, _ place: PropertyPlace) -> SlotPlace {
        var destination: EntityNumber?
        switch property.kind {
        case .toOne(let entity): destination = entity
        case .toMany(let entity, _, _, _): destination = entity
        case .attribute, .position, .transient: break
        }
        let column = columns[place]
        return SlotPlace(
            name: property.name, kind: property.kind, storage: property.storage,
            column: column?.column, entityColumn: column?.entityColumn, destination: destination,
            link: linkOfProperty[declarer(of: place)])
    }
}
