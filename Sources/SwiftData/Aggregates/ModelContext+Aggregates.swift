#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSExpression
import class FirnFoundation.NSSortDescriptor
import FirnModel
import FirnRuntime
public import Foundation

/// Models that have the same values at some key paths, and what was computed of them. Ours, not Apple's.
public struct ModelGroup<Key, Values> {
    /// The values that the models have in common.
    public let key: Key
    /// The computed values, in the order in which they were asked for.
    public let values: Values
}

extension ModelContext {
    /// A value for all models that meet a predicate. The store computes it and reads no model. Ours, not Apple's.
    ///
    /// It is about saved models. With unsaved changes it throws `includePendingChangesWithBatchSize`, unless
    /// `includePendingChanges` is false. A container with several stores of the model is refused.
    /// - Complexity: one pass over the rows, or less where an index has the values.
    public final func aggregate<T: PersistentModel, Value>(
        _ aggregate: Aggregate<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
    ) throws -> Value {
        var query = try AggregateQuery<T>(self, predicate, includePendingChanges)
        let column = try query.add(aggregate)
        return aggregate.value(try query.rows().first?[column])
    }

    /// The models that meet a predicate, grouped by their values at key paths, with values computed for each group.
    /// The store groups and computes, and reads no model. Ours, not Apple's.
    ///
    ///     for group in try context.groups(by: \Trip.kind, computing: .count(), .sum(\.days)) {
    ///         print(group.key, group.values.0, group.values.1)
    ///     }
    ///
    /// The groups are in the order of their keys. A key path may lead to an attribute, a part of a structure, a model,
    /// or through models. For the rest see `aggregate(_:where:includePendingChanges:)`.
    public final func groups<T: PersistentModel, each Key, each Value>(
        by keys: repeat KeyPath<T, each Key>, computing aggregates: repeat Aggregate<T, each Value>,
        where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
    ) throws -> [ModelGroup<(repeat each Key), (repeat each Value)>] {
        var query = try AggregateQuery<T>(self, predicate, includePendingChanges)
        for key in repeat each keys { try query.group(by: key) }
        var columns: [String] = []
        for aggregate in repeat each aggregates { columns.append(try query.add(aggregate)) }
        return try query.rows().map { row in
            var (keyIndex, index) = (0, 0)
            func key<Property>(_ keyPath: KeyPath<T, Property>) throws -> Property {
                defer { keyIndex += 1 }
                return try query.key(row, keyIndex, Property.self)
            }
            func value<Computed>(_ aggregate: Aggregate<T, Computed>) -> Computed {
                defer { index += 1 }
                return aggregate.value(row[columns[index]])
            }
            return ModelGroup(key: try (repeat key(each keys)), values: (repeat value(each aggregates)))
        }
    }
}

/// A request for groups and values computed of them.
private struct AggregateQuery<T: PersistentModel> {
    private let context: ModelContext
    private let translation: FetchTranslation<T>
    private let request: NSFetchRequest<NSDictionary>
    private var groups: [String] = []
    private var positions: [String] = []
    private var columns: [NSExpressionDescription] = []

    init(_ context: ModelContext, _ predicate: Predicate<T>?, _ includePendingChanges: Bool) throws {
        if includePendingChanges, context.hasChanges {
            throw SwiftDataError.includePendingChangesWithBatchSize.because(
                "the store computes aggregates of saved models: save first, or set includePendingChanges to false")
        }
        self.context = context
        translation = FetchTranslation(descriptor: FetchDescriptor<T>(predicate: predicate), context: context)
        request = try translation.request(NSDictionary.self)
        request.resultType = .dictionaryResultType
    }

    mutating func group(by keyPath: PartialKeyPath<T>) throws {
        let name = try value(at: keyPath).keyPath
        positions.append(name)
        if !groups.contains(name) { groups.append(name) }
    }

    /// Throws for a value that is stored as it encodes itself.
    private func value(at keyPath: PartialKeyPath<T>) throws -> NSExpression {
        let expression = NSExpression(forKeyPath: try translation.name(keyPath))
        try PredicateCheck(shape: ModelShape.of(T.self)).check(expression)
        return expression
    }

    /// The name of the column.
    mutating func add<Value>(_ aggregate: Aggregate<T, Value>) throws -> String {
        let keyPath = aggregate.keyPath as? PartialKeyPath<T>
        let operand = try keyPath.map(value(at:)) ?? .expressionForEvaluatedObject()
        let column = NSExpressionDescription()
        column.name = "aggregate\(columns.count)"
        column.expression = NSExpression(forFunction: aggregate.function, arguments: [operand])
        columns.append(column)
        return column.name
    }

    func rows() throws -> [[String: Any]] {
        request.propertiesToFetch = groups + columns
        request.propertiesToGroupBy = groups.isEmpty ? nil : groups
        request.sortDescriptors = groups.map { NSSortDescriptor(key: $0, ascending: true) }
        context.catchUp()
        return try context.named { try context.managed.fetch(request) }.map { row in
            Dictionary(
                uniqueKeysWithValues: row.compactMap { key, value in
                    value is NSNull ? nil : (key as? String).map { ($0, value) }
                })
        }
    }

    /// The value of a group at a key path.
    func key<Property>(_ row: [String: Any], _ position: Int, _ type: Property.Type) throws -> Property {
        let stored = row[positions[position]]
        if let id = stored as? NSManagedObjectID {
            let model = (context.managed.object(with: id) as? ModelObject).map(context.model(of:))
            if let model = model as? Property { return model }
        }
        if let column = ColumnCache.column(for: type) as? ModelColumn<Property> { return column.decode(stored) }
        if stored == nil, let type = type as? any AnyOptional.Type, let none = type.nothing as? Property { return none }
        throw SwiftDataError.unsupportedKeyPath.because("\(T.self) cannot be grouped by \(positions[position])")
    }
}
#endif
