internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import class FirnFoundation.NSPredicate
package import FirnLog
internal import FirnModel

/// One key of the dictionaries that a fetch returns.
package struct DictionaryColumn: Sendable {
    /// The source of a column's value.
    package enum Value: Hashable, Sendable {
        case attribute(AttributeKind)
        /// An object; its concrete entity is read with it.
        case reference
        /// As SQLite gives it.
        case any
    }

    package let name: String
    package let kind: Value
    let sql: String
    /// For a reference: where the concrete entity is read, or its number.
    let entitySQL: String?
}

/// The columns, the grouping and the having of a dictionary fetch.
struct DictionaryCompiler {
    private(set) var columns: [DictionaryColumn] = []
    /// ` GROUP BY … HAVING …`, or nothing.
    private(set) var grouping = ""
    private let compiler: PredicateCompiler
    private let root: Node

    /// Leaves the compiler as the order of the dictionaries needs it.
    init(_ compiler: PredicateCompiler, _ request: FetchSettings, _ root: Node) throws {
        self.compiler = compiler
        self.root = root
        compiler.aggregatesAsSQL = true
        let groups = try (request.propertiesToGroupBy ?? []).map { try column($0) }
        compiler.isGrouped = !groups.isEmpty
        compiler.aggregatesRows = true
        defer { compiler.aggregatesRows = false }
        let properties = request.dictionaryProperties
        guard !properties.isEmpty else {
            throw UnsupportedPredicate(
                root.entity.name ?? "", "the entity has no stored attributes; name what to fetch in propertiesToFetch")
        }
        columns = try properties.map { try column($0) }
        if compiler.hasRowAggregates, !compiler.isGrouped {
            // One of them makes a group of all rows, for the aggregates of collections before it too.
            compiler.isGrouped = true
            columns = try properties.map { try column($0) }
        }
        if !groups.isEmpty {
            grouping = " GROUP BY " + groups.map(\.sql).joined(separator: ", ")
            var grouped = GroupedValues(
                columns: Set(groups.map(\.sql)), names: Set(groups.map(\.name)),
                expressions: (request.propertiesToGroupBy ?? []).compactMap {
                    ($0 as? NSExpressionDescription)?.expression
                })
            for (column, property) in zip(columns, properties) where !grouped.contain(column, property) {
                throw Self.ungrouped(column.name)
            }
            grouped.names.formUnion(columns.map(\.name))
            if let having = request.havingPredicate, !grouped.contain(having) {
                throw Self.ungrouped(having.predicateFormat)
            }
        }
        for case let (column, property) in zip(columns, properties)
        where property is NSExpressionDescription {
            compiler.named[column.name] = SQLExpression(column.sql, column.type)
        }
        if let having = request.havingPredicate {
            guard !groups.isEmpty else {
                throw UnsupportedPredicate(
                    having.predicateFormat, "havingPredicate needs propertiesToGroupBy")
            }
            grouping += " HAVING \(try compiler.condition(having, root))"
        }
    }

    private func column(_ property: Any) throws -> DictionaryColumn {
        switch property {
        case let expression as NSExpressionDescription: return try column(expression)
        case let property as NSPropertyDescription: return try column(property.name)
        case let name as String: return try column(name)
        default:
            throw UnsupportedPredicate(
                "\(property)",
                "propertiesToFetch takes names, attributes, to-one relationships and "
                    + "expression descriptions")
        }
    }

    private func column(_ name: String) throws -> DictionaryColumn {
        guard case .value(let value) = try compiler.resolve(name, from: root) else {
            throw UnsupportedPredicate(
                name, "a to-many relationship cannot be a column; use an expression such as its @count")
        }
        return DictionaryColumn(
            name: name, kind: value.type.columnKind, sql: value.sql, entitySQL: entity(of: value, name))
    }

    private func column(_ description: NSExpressionDescription) throws -> DictionaryColumn {
        guard let expression = description.expression else {
            throw UnsupportedPredicate(description.name, "the expression description has no expression")
        }
        var value: SQLExpression
        switch try compiler.operand(expression, root) {
        case .value(let found): value = found
        case .constant(let constant):
            guard let bound = try compiler.bound(constant, as: .any) else {
                throw UnsupportedPredicate(description.name, "SQL has no such value")
            }
            value = bound
        case .list, .collection:
            throw UnsupportedPredicate(description.name, "a collection cannot be a column")
        }
        var kind = value.type.columnKind
        if let declared = description.expressionResultType.storedKind,
            kind != .reference
        {
            value = value.converted(to: declared)
            kind = .attribute(declared)
        }
        var path = ""
        if case .keyPath(let keyPath, nil) = expression.node { path = keyPath.string }
        return DictionaryColumn(
            name: description.name, kind: kind, sql: value.sql, entitySQL: entity(of: value, path))
    }

    /// SQL for the concrete entity of a reference: next to the key, in a column of its own, or a constant of the model.
    private func entity(of value: SQLExpression, _ path: String) -> String? {
        guard case .reference = value.type else { return nil }
        if value.sql.hasSuffix(".Z_PK") { return value.sql.dropLast(2) + "ENT" }
        guard let slot = root.place.slot(named: path) else {
            // Through a join: the destination's own row has it.
            guard case .reference(let rootEntity) = value.type else { return nil }
            let table = compiler.layout.existingPlace(rootEntity).tableName
            return "(SELECT Z_ENT FROM \(quoted(table)) WHERE Z_PK = \(value.sql))"
        }
        let place = root.place.slots[slot]
        return place.entityColumn.map(root.column) ?? place.destination.map { String($0.rawValue) }
    }

    private static func ungrouped(_ part: String) -> UnsupportedPredicate {
        UnsupportedPredicate(
            part, "a grouped fetch returns grouped properties and aggregates only; add it to propertiesToGroupBy")
    }
}

/// The values that all rows of a group have in common: what they are grouped by, and aggregates. Any other value would
/// be that of one row.
private struct GroupedValues {
    /// The SQL of what is grouped by.
    let columns: Set<String>
    var names: Set<String>
    let expressions: [NSExpression]

    func contain(_ column: DictionaryColumn, _ property: Any) -> Bool {
        if columns.contains(column.sql) { return true }
        return (property as? NSExpressionDescription)?.expression.map(contain) ?? false
    }

    func contain(_ predicate: NSPredicate) -> Bool {
        switch predicate {
        case let compound as NSCompoundPredicate: compound.parts.allSatisfy(contain)
        case let comparison as NSComparisonPredicate:
            contain(comparison.leftExpression) && contain(comparison.rightExpression)
        default: true
        }
    }

    private func contain(_ expression: NSExpression) -> Bool {
        if expressions.contains(where: { $0.isEqual(expression) }) { return true }
        return switch expression.node {
        case .constant, .variable: true
        case .keyPath(let path, _): names.contains(path.string) || path.string.contains("@")
        case .function(let function, let arguments):
            PredicateCompiler.isAggregate(function) || arguments.allSatisfy(contain)
        case .conditional(let predicate, let first, let second):
            contain(predicate) && contain(first) && contain(second)
        case .aggregate(let members): members.allSatisfy(contain)
        default: false
        }
    }
}

extension DictionaryColumn {
    var type: SQLType {
        if case .attribute(let kind) = kind { SQLType(kind) } else { .any }
    }
}

extension SQLType {
    var columnKind: DictionaryColumn.Value {
        switch self {
        case .boolean: .attribute(.boolean)
        case .integer, .entity: .attribute(.integer64)
        case .real: .attribute(.double)
        case .date: .attribute(.date)
        case .text: .attribute(.string)
        case .uri: .attribute(.uri)
        case .decimal: .attribute(.decimal)
        case .blob: .attribute(.binary)
        case .archive: .attribute(.transformable)
        case .uuid: .attribute(.uuid)
        case .reference: .reference
        case .any: .any
        }
    }
}
