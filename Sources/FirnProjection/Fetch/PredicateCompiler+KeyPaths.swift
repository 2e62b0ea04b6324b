internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import FirnLog
internal import FirnModel

extension PredicateCompiler {
    /// SQLite joins at most 64 tables (https://www.sqlite.org/limits.html#max_tables_in_a_join).
    static let stepCountMax = 64

    /// Follows a key path from a row: to one value, or to a collection.
    func resolve(_ path: String, from start: Node) throws -> Operand {
        if let named = named[path] { return .value(named) }
        let keys = path.split(separator: ".").map(String.init)[...]
        guard keys.count <= Self.stepCountMax else {
            throw UnsupportedPredicate(
                String(path.prefix(100)) + "…",
                "a key path has at most \(Self.stepCountMax) steps in a fetch, and this one \(keys.count)")
        }
        // Also as derived attributes write it: articles.wordCount.@sum
        guard let operation = keys.firstIndex(where: { $0.hasPrefix("@") }) else {
            return try follow(keys, path, from: start)
        }
        let collection = try argument(start) { try follow(keys[..<operation], path, from: $0) }
        if aggregatesRows, case .value(let value) = collection {
            return .value(try rowAggregate(keys[operation...], path, of: value, start))
        }
        return .value(try aggregate(keys[operation...], path, of: collection))
    }

    /// Follows keys without a collection operator.
    private func follow(_ keys: ArraySlice<String>, _ path: String, from start: Node) throws -> Operand {
        var keys = keys
        var node = start
        var collection: Query?
        while let key = keys.first {
            if key == "self" || key == "SELF" {
                keys = keys.dropFirst()
                continue
            }
            if let special = special(key, node) {
                try requireEnd(key, keys.dropFirst(), path)
                return result(special, node, collection)
            }
            let (slot, rest) = try slot(keys, of: node, path)
            keys = rest
            switch slot.kind {
            case .attribute:
                let value = try attribute(slot, node, path)
                if let key = keys.first, keys.count == 1, let size = size(key, of: value) {
                    return result(size, node, collection)
                }
                try requireEnd(slot.name, keys, path)
                return result(value, node, collection)
            case .toOne:
                let reference = try toOne(slot, node, path)
                if keys.isEmpty || keys.allSatisfy({ $0 == "self" || $0 == "objectID" }) {
                    return result(reference, collection == nil ? node : join(slot, node), collection)
                }
                node = join(slot, node)
            case .toMany:
                (collection, node) = try members(slot, node, collection)
            case .position, .composite, .fetched:
                throw noColumn(slot, path)
            }
        }
        return result(node.reference, node, collection)
    }

    private func result(_ value: SQLExpression, _ node: Node, _ collection: Query?) -> Operand {
        collection.map { .collection($0, element: value, node: node) } ?? .value(value)
    }

    /// The expression for a key that every object has.
    private func special(_ key: String, _ node: Node) -> SQLExpression? {
        switch key {
        case "objectID" where node.place.slot(named: key) == nil: node.reference
        case "entity" where node.place.slot(named: key) == nil, "entity()":
            SQLExpression("\(node.alias).Z_ENT", .entity, isColumn: true)
        default: nil
        }
    }

    /// The size of a text: in UTF-16, or in characters as Swift counts them.
    private func size(_ key: String, of value: SQLExpression) -> SQLExpression? {
        guard value.type == .text else { return nil }
        switch key {
        case "length": return SQLExpression("firn_length(\(value.sql))", .integer)
        case "characterCount": return SQLExpression("firn_characters(\(value.sql))", .integer)
        default: return nil
        }
    }

    private func requireEnd(_ key: String, _ rest: ArraySlice<String>, _ path: String) throws {
        guard rest.contains(where: { $0 != "self" }) else { return }
        throw UnsupportedPredicate(path, "“\(key)” is a single value, which has no keys in SQL")
    }

    /// The slot of the first key, or of a composite's leaf that the first keys name together.
    private func slot(
        _ keys: ArraySlice<String>, of node: Node, _ path: String
    ) throws -> (Slot, ArraySlice<String>) {
        let layout = node.entity.layout
        var name = keys.first ?? ""
        var rest = keys.dropFirst()
        var isInComposite = false
        while true {
            if let index = layout.slot(named: name) {
                guard case .composite = layout.slots[index].kind, !rest.isEmpty else {
                    return (layout.slots[index], rest)
                }
                isInComposite = true
            }
            // An element that is composite has no slot: the next key leads on.
            guard isInComposite, let next = rest.popFirst() else { break }
            name += "." + next
        }
        throw UnsupportedPredicate(
            path, "the entity \(node.entity.name ?? "") has no property “\(name)”")
    }

    private func noColumn(_ slot: Slot, _ path: String) -> UnsupportedPredicate {
        if let element = (slot.property as? NSCompositeAttributeDescription)?.elements.first?.name {
            return UnsupportedPredicate(
                path, "“\(slot.name)” is a composite: name one of its elements, such as “\(slot.name).\(element)”")
        }
        let what = slot.isTransient ? "is transient: it is not in the store" : "has no value in the store"
        return UnsupportedPredicate(
            path, "“\(slot.name)” \(what); fetch without it and filter the result")
    }

    private func attribute(_ slot: Slot, _ node: Node, _ path: String) throws -> SQLExpression {
        let place = node.place.slots[slot.index]
        guard case .attribute(let kind) = place.kind, let column = place.column else { throw noColumn(slot, path) }
        let isNarrow = kind == .integer16 || kind == .integer32
        return SQLExpression(node.column(column), SQLType(kind), isColumn: true, isNarrow: isNarrow)
    }

    private func toOne(_ slot: Slot, _ node: Node, _ path: String) throws -> SQLExpression {
        let place = node.place.slots[slot.index]
        guard let column = place.column, let destination = place.destination else { throw noColumn(slot, path) }
        return SQLExpression(
            node.column(column), .reference(root: layout.existingPlace(destination).root), isColumn: true)
    }

    /// The row that an expression of one object stands for; nil for another expression.
    func row(_ expression: NSExpression, _ node: Node) throws -> Node? {
        switch expression.node {
        case .evaluatedObject: return node
        case .variable(let name): return try variable(name)
        case .keyPath(let path, let operand):
            guard var row = try operand.map({ try self.row($0, node) }) ?? node else { return nil }
            for key in path.string.split(separator: ".") where key != "self" {
                guard let index = row.entity.layout.slot(named: String(key)) else { return nil }
                let slot = row.entity.layout.slots[index]
                guard case .toOne = slot.kind else { return nil }
                _ = try toOne(slot, row, path.string)
                row = join(slot, row)
            }
            return row
        case .function(.cast, let arguments):
            guard case .constant(let asked as NSEntityDescription)? = arguments.last?.node,
                let entity = catalog.entity(equalTo: asked), let row = try self.row(arguments[0], node)
            else { return nil }
            let place = layout.existingPlace(catalog.number(of: entity))
            return Node(query: row.query, alias: row.alias, place: place, entity: entity)
        default: return nil
        }
    }

    /// The destination's row; all its columns are null where there is none.
    private func join(_ slot: Slot, _ node: Node) -> Node {
        let place = node.place.slots[slot.index]
        let column = node.column(place.column ?? "")
        return node.query.node(column) {
            let destination = destination(of: place)
            let alias = makeAlias()
            node.query.join(
                "LEFT JOIN \(quoted(destination.place.tableName)) AS \(alias) "
                    + "ON \(alias).Z_PK = \(column)")
            return Node(
                query: node.query, alias: alias, place: destination.place,
                entity: destination.entity)
        }
    }

    private func destination(of slot: SlotPlace) -> (place: EntityPlace, entity: NSEntityDescription) {
        guard let number = slot.destination, let entity = catalog.entity(number) else {
            fatalError("the relationship \(slot.name) has no destination in this store")
        }
        return (layout.existingPlace(number), entity)
    }

    /// The members of a to-many: a query of its own for the first, more rows of the same query for those after.
    private func members(
        _ slot: Slot, _ owner: Node, _ collection: Query?
    ) throws -> (Query, Node) {
        let relationship = owner.place.slots[slot.index]
        if slot.isTransient { throw noColumn(slot, slot.name) }
        let destination = destination(of: relationship)
        let alias = makeAlias()
        let table = "\(quoted(destination.place.tableName)) AS \(alias)"
        guard case .toMany(_, let inverse, _, _) = relationship.kind else {
            throw noColumn(slot, slot.name)
        }
        let query: Query
        if let inverse {
            let column = destination.place.slots[Int(inverse)].column ?? ""
            let condition = "\(alias).\(quoted(column)) = \(owner.alias).Z_PK"
            query = append(table, condition, to: collection)
        } else if let link = relationship.link {
            let linkAlias = makeAlias()
            let (near, far) = link.isCanonical ? ("Z_SRC", "Z_DST") : ("Z_DST", "Z_SRC")
            query = append(
                "\(quoted(layout.links[link.table].name)) AS \(linkAlias)",
                "\(linkAlias).\(near) = \(owner.alias).Z_PK", to: collection)
            query.join("JOIN \(table) ON \(alias).Z_PK = \(linkAlias).\(far)")
        } else {
            throw noColumn(slot, slot.name)
        }
        let entityCondition = destination.place.entityCondition(alias)
        if !entityCondition.isEmpty, inverse != nil {
            query.conditions.append(String(entityCondition.dropFirst(" AND ".count)))
        }
        return (
            query,
            Node(query: query, alias: alias, place: destination.place, entity: destination.entity)
        )
    }

    private func append(_ table: String, _ condition: String, to collection: Query?) -> Query {
        if let collection {
            collection.join("JOIN \(table) ON \(condition)")
            return collection
        }
        let query = Query(from: table)
        query.conditions.append(condition)
        return query
    }
}
