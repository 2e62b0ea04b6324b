internal import FirnFoundation
package import FirnLog
internal import FirnModel
internal import FirnSQLite
internal import Foundation

internal import class FirnFoundation.NSPredicate

/// A fetch request as SQL: made once for a request and a schema, run by any `ProjectionReader` of that schema.
///
///     SELECT «rows | keys | count | columns» «source: FROM … WHERE …» «order» «limit»
package struct FetchPlan: Sendable {
    /// A value that the SQL has a parameter for.
    enum Binding: Sendable, Equatable {
        case value(PropertyValue)
        case list(ValueList)

        static func == (left: Binding, right: Binding) -> Bool {
            switch (left, right) {
            case (.value(let left), .value(let right)): left == right
            case (.list(let left), .list(let right)): left === right
            default: false
            }
        }
    }

    /// The text of the statements.
    private final class Statements: Sendable {
        let rows: String
        let keys: String
        let dictionaries: String
        let count: String

        init(_ plan: FetchPlan) {
            rows = plan.rowsSQL
            keys = plan.keysSQL
            dictionaries = plan.columns.isEmpty ? "" : plan.dictionariesSQL
            count = plan.countSQL
        }
    }

    /// The part of a plan that does not depend on the values that are bound.
    private final class Compiled: Sendable {
        let entity: EntityNumber
        let columns: [DictionaryColumn]
        let shape: RowShape
        /// Without and with the conditions on R-trees, which only the present has.
        let plainSource: String
        let indexedSource: String
        let order: String
        let limit: String
        let isDistinct: Bool
        let aggregatesRows: Bool
        let valueTypes: [SQLType]?

        init(
            entity: EntityNumber, columns: [DictionaryColumn], shape: RowShape, plainSource: String,
            indexedSource: String, order: String, limit: String, isDistinct: Bool, aggregatesRows: Bool,
            valueTypes: [SQLType]?
        ) {
            self.entity = entity
            self.columns = columns
            self.shape = shape
            self.plainSource = plainSource
            self.indexedSource = indexedSource
            self.order = order
            self.limit = limit
            self.isDistinct = isDistinct
            self.aggregatesRows = aggregatesRows
            self.valueTypes = valueTypes
        }
    }

    private let compiled: Compiled
    private var usesIndexTables = true
    private var statements: Statements?
    private(set) var bindings: [Binding]
    /// Whether the request's limit is one row.
    private(set) var isSingleRow: Bool

    /// The requested entity; rows may be of subentities.
    package var entity: EntityNumber { compiled.entity }
    /// For dictionaries: what each holds.
    package var columns: [DictionaryColumn] { compiled.columns }
    var shape: RowShape { compiled.shape }
    /// `FROM … WHERE … GROUP BY … HAVING …`
    var source: String { usesIndexTables ? compiled.indexedSource : compiled.plainSource }
    var order: String { compiled.order }
    var limit: String { compiled.limit }
    var isDistinct: Bool { compiled.isDistinct }
    /// Whether a result aggregates rows: those of a group, or all.
    package var aggregatesRows: Bool { compiled.aggregatesRows }
    /// The type with which each value of the predicate is bound; nil if the SQL depends on more than that.
    var valueTypes: [SQLType]? { compiled.valueTypes }

    /// Compiles a request, whose entity must be known. Throws `UnsupportedPredicate` for what SQL cannot answer.
    init(
        _ request: FetchSettings, _ catalog: EntityCatalog, _ layout: TableLayout, in store: StoreIdentity?
    ) throws {
        guard let entity = request.entity else {
            fatalError("a fetch request needs an entity before it is planned")
        }
        let number = catalog.number(of: entity)
        let place = layout.existingPlace(number)
        let compiler = PredicateCompiler(catalog: catalog, layout: layout, nullRule: request.nullRule, store: store)
        let alias = compiler.makeAlias()
        let query = Query(from: "\(quoted(place.tableName)) AS \(alias)")
        let root = Node(query: query, alias: alias, place: place, entity: entity)
        var indexed: [String] = []
        if let predicate = request.predicate {
            if predicate.isTooDeep {
                throw UnsupportedPredicate(predicate.predicateFormat, PredicateDepth.message(predicate.height))
            }
            compiler.literalParts = entity.partialIndexConditions
            let condition = try compiler.condition(predicate, root)
            if condition != "1" { query.conditions.append("(\(condition))") }
            indexed = compiler.indexConditions(predicate, root)
        }
        if !request.includesSubentities, place.subtree.count > 1 || !place.isWholeTable {
            query.conditions.append("\(alias).Z_ENT = \(number.rawValue)")
        } else if !place.isWholeTable {
            query.conditions.append(String(place.entityCondition(alias).dropFirst(" AND ".count)))
        }
        var grouping = ""
        var columns: [DictionaryColumn] = []
        if request.resultType == .dictionaryResultType {
            let dictionary = try DictionaryCompiler(compiler, request, root)
            columns = dictionary.columns
            grouping = dictionary.grouping
        }
        let order = try compiler.orderClause(
            request.sortDescriptors ?? [], root,
            needsOrder: request.fetchLimit > 0 || request.fetchOffset > 0,
            isGrouped: !grouping.isEmpty || request.returnsDistinctResults && !columns.isEmpty)
        let limit = compiler.limit(request.fetchLimit, request.fetchOffset)
        let plainSource = query.source + grouping
        query.conditions += indexed
        bindings = compiler.bindings
        isSingleRow = request.fetchLimit == 1
        let isRepeatable =
            compiler.isTimeless && compiler.bindsInOrder && compiler.literalParts.isEmpty && indexed.isEmpty
        compiled = Compiled(
            entity: number, columns: columns, shape: Self.shape(request, place, layout), plainSource: plainSource,
            indexedSource: indexed.isEmpty ? plainSource : query.source + grouping, order: order, limit: limit,
            isDistinct: request.returnsDistinctResults && !columns.isEmpty,
            aggregatesRows: !grouping.isEmpty || compiler.hasRowAggregates,
            valueTypes: isRepeatable ? compiler.boundTypes : nil)
    }

    /// With object results, `propertiesToFetch` leaves the other properties unread.
    private static func shape(
        _ request: FetchSettings, _ place: EntityPlace, _ layout: TableLayout
    ) -> RowShape {
        guard request.resultType == .managedObjectResultType,
            let properties = request.propertiesToFetch, !properties.isEmpty
        else { return layout.shape(place.number) }
        let names = properties.compactMap { property -> String? in
            property as? String ?? (property as? NSPropertyDescription)?.name
        }
        return RowShape(place, places: layout.places, only: Set(names))
    }

    /// The plan for tables of the past.
    var withoutIndexTables: FetchPlan {
        var plan = self
        plan.usesIndexTables = false
        plan.statements = nil
        return plan
    }

    /// The plan with the text of its statements.
    var written: FetchPlan {
        var plan = self
        plan.statements = Statements(self)
        return plan
    }

    /// The plan with other values of the predicate, and another window.
    func with(_ values: consuming [Binding], limit: Int, offset: Int) -> FetchPlan {
        var plan = self
        for number in PredicateCompiler.window(limit, offset) { values.append(.value(.integer(number))) }
        plan.bindings = values
        plan.isSingleRow = limit == 1
        return plan
    }

    var rowsSQL: String { statements?.rows ?? "SELECT \(shape.selectList) \(source)\(order)\(limit)" }

    var keysSQL: String { statements?.keys ?? "SELECT t0.Z_PK, t0.Z_ENT \(source)\(order)\(limit)" }

    /// Where a row of `dictionariesSQL` has the concrete entity of each column's reference: behind all columns. -1 for
    /// what is no reference.
    package var entityColumns: [Int32] {
        var next = Int32(columns.count)
        return columns.map { column in
            if column.entitySQL == nil { return -1 }
            defer { next += 1 }
            return next
        }
    }

    var dictionariesSQL: String {
        if let statements { return statements.dictionaries }
        let list = columns.map(\.sql) + columns.compactMap(\.entitySQL)
        return "SELECT \(isDistinct ? "DISTINCT " : "")\(list.joined(separator: ", ")) "
            + "\(source)\(order)\(limit)"
    }

    var countSQL: String {
        if let statements { return statements.count }
        if !columns.isEmpty { return "SELECT count(*) FROM (\(dictionariesSQL))" }
        if limit.isEmpty { return "SELECT count(*) \(source)" }
        return "SELECT count(*) FROM (SELECT 1 \(source)\(limit))"
    }

    /// Binds what `statement` has parameters for: a count has none for the limits that others have.
    func bind(to statement: Statement) throws {
        for (index, binding) in bindings.prefix(statement.parameterCount).enumerated() {
            switch binding {
            case .value(let value): try statement.bind(value, at: Int32(index + 1))
            case .list(let list): try statement.bind(list, at: Int32(index + 1))
            }
        }
    }
}

extension NSEntityDescription {
    /// The conditions of the partial indexes of this entity and of its superentities.
    fileprivate var partialIndexConditions: [NSPredicate] {
        let own = indexes.compactMap(\.partialIndexPredicate).flatMap { PredicateCompiler.conjuncts($0) }
        return own + (superentity?.partialIndexConditions ?? [])
    }
}

extension ValueList {
    /// The values in their stored form.
    convenience init(stored values: [PropertyValue]) {
        var integers: [Int64] = []
        integers.reserveCapacity(values.count)
        for value in values {
            switch value {
            case .integer(let value): integers.append(value)
            case .reference(let key): integers.append(key.primaryKey)
            default: break
            }
        }
        if integers.count == values.count {
            self.init(integers)
        } else {
            self.init(values.map(SQLiteValue.init))
        }
    }
}

extension SQLiteValue {
    init(_ value: PropertyValue) {
        switch value {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .real(let value): self = value.isNaN ? .text(notANumber) : .real(value)
        case .text(let value): self = .text(value)
        case .blob(let value): self = .blob(value)
        case .reference(let key): self = .integer(key.primaryKey)
        }
    }
}

/// The value of `now()` in a fetch: the time when its plan is made.
enum FetchClock {
    /// Seconds since 2001.
    static var now: Double { Date().timeIntervalSinceReferenceDate }
}
