internal import FirnFoundation
internal import FirnLog
package import FirnModel
internal import Synchronization

internal import class FirnFoundation.NSSortDescriptor

/// The plans of earlier requests. A request of the same shape uses the SQL of the first one with its own values.
///
/// A schema has one. A look-up is linear in the count of an entity's shapes; the newest are kept. No value of a request
/// is kept.
final class PlanCache: Sendable {
    private final class Entry: Sendable {
        let question: Question
        let predicate: PredicateShape
        let plan: FetchPlan

        init(question: Question, predicate: PredicateShape, plan: FetchPlan) {
            self.question = question
            self.predicate = predicate
            self.plan = plan
        }
    }

    /// The other settings that the SQL depends on.
    private struct Question: Sendable {
        let resultType: NSFetchRequestResultType
        /// The names of a dictionary's properties; empty for all of them, and for other results.
        let columns: [String]
        let isDistinct: Bool
        let includesSubentities: Bool
        let hasLimit: Bool
        let hasOffset: Bool
        let nullRule: NullRule
        let sortDescriptors: [NSSortDescriptor]

        /// Nil for a request with computed columns, with groups, or for parts of objects.
        init?(_ request: borrowing FetchSettings) {
            guard request.havingPredicate == nil, request.propertiesToGroupBy?.isEmpty ?? true else { return nil }
            let properties = request.propertiesToFetch ?? []
            let isDictionary = request.resultType == .dictionaryResultType
            guard isDictionary || properties.isEmpty else { return nil }
            var columns: [String] = []
            columns.reserveCapacity(properties.count)
            for property in properties {
                guard let name = asText(property) else { return nil }
                columns.append(name)
            }
            self.columns = columns
            isDistinct = isDictionary && request.returnsDistinctResults
            resultType = request.resultType
            includesSubentities = request.includesSubentities
            hasLimit = request.fetchLimit > 0
            hasOffset = request.fetchOffset > 0
            nullRule = request.nullRule
            sortDescriptors = request.sortDescriptors ?? []
        }

        func isSame(as other: Question) -> Bool {
            resultType == other.resultType && columns == other.columns && isDistinct == other.isDistinct
                && includesSubentities == other.includesSubentities && hasLimit == other.hasLimit
                && hasOffset == other.hasOffset && nullRule == other.nullRule
                && sortDescriptors.count == other.sortDescriptors.count
                && zip(sortDescriptors, other.sortDescriptors).allSatisfy { $0 === $1 || $0.isEqual($1) }
        }
    }

    static let countMax = 32
    /// In bytes of SQL. Longer statements, such as conditions of thousands of terms, are compiled each time.
    static let sizeMax = 16 << 10

    /// By entity number, the newest first.
    private let entries = Mutex<[[Entry]]>([])

    /// The plan of a request to `store` whose entity is `number`.
    func plan(
        _ request: FetchSettings, in store: StoreIdentity?, number: Int, schema: StoreSchema
    ) throws -> FetchPlan {
        guard let question = Question(request) else { return try FetchPlan(request, in: store, schema: schema) }
        let known = entries.withLock { number < $0.count ? $0[number] : [] }
        for entry in known where entry.question.isSame(as: question) {
            var values: [FetchPlan.Binding] = []
            guard entry.predicate.matches(request.predicate, in: store, &values) else { continue }
            return entry.plan.with(values, limit: request.fetchLimit, offset: request.fetchOffset)
        }
        let plan = try FetchPlan(request, in: store, schema: schema)
        let sql = plan.columns.isEmpty ? plan.rowsSQL : plan.dictionariesSQL
        guard let types = plan.valueTypes, sql.utf8.count <= Self.sizeMax else { return plan }
        var rest = types[...]
        guard let shape = PredicateShape(request.predicate, types: &rest), rest.isEmpty else { return plan }
        var values: [FetchPlan.Binding] = []
        // The shape must find exactly the values that the plan binds; else it would bind them elsewhere.
        guard shape.matches(request.predicate, in: store, &values),
            plan.bindings == plan.with(values, limit: request.fetchLimit, offset: request.fetchOffset).bindings
        else { return plan }
        let entry = Entry(question: question, predicate: shape, plan: plan.written)
        entries.withLock { entries in
            while entries.count <= number { entries.append([]) }
            if entries[number].count >= Self.countMax { entries[number].removeLast() }
            entries[number].insert(entry, at: 0)
        }
        return plan
    }
}

extension FetchPlan {
    /// Compiles `request`, whose entity must be known. Throws `UnsupportedPredicate` for what SQL cannot answer.
    package init(_ request: UntypedFetchRequest, schema: StoreSchema) throws {
        try self.init(request.settings, schema: schema)
    }

    /// Compiles the settings of a request. IDs are those of `store`, or of any store if that is nil.
    package init(_ request: FetchSettings, in store: StoreIdentity? = nil, schema: StoreSchema) throws {
        try self.init(request, schema.catalog, schema.layout, in: store)
    }
}

extension StoreSchema {
    /// The plan of a request, whose entity must be known: compiled, or that of an earlier request of the same shape.
    /// IDs are those of `store`, or of any store if that is nil.
    package func plan(_ request: FetchSettings, in store: StoreIdentity? = nil) throws -> FetchPlan {
        guard let entity = request.entity else {
            fatalError("a fetch request needs an entity before it is planned")
        }
        return try plans.plan(request, in: store, number: Int(number(of: entity).rawValue), schema: self)
    }
}
