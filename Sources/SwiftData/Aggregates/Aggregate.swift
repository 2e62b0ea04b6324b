#if SwiftData
import FirnFoundation
import class FirnFoundation.NSExpression
import FirnModel
import Foundation

/// One value for many models: their count, or the sum, average, minimum or maximum of a property. Ours, not Apple's.
///
///     let days = try context.aggregate(.sum(\Trip.days), where: #Predicate { $0.kind == business })
public struct Aggregate<Model: PersistentModel, Value> {
    /// The function of all rows that the store is asked for.
    let function: String
    /// The path to the function's argument; nil for the rows themselves.
    let keyPath: AnyKeyPath?
    /// The value of what the store gives back.
    let value: (Any?) -> Value
}

extension Aggregate where Value == Int {
    /// How many models there are.
    public static func count() -> Aggregate { count(at: nil) }

    /// How many models have a value at a key path.
    public static func count<Property>(_ keyPath: KeyPath<Model, Property?>) -> Aggregate { count(at: keyPath) }

    private static func count(at keyPath: AnyKeyPath?) -> Aggregate {
        Aggregate(function: "count:", keyPath: keyPath) { $0.flatMap(Int.init(stored:)) ?? 0 }
    }
}

extension Aggregate where Value: Numeric {
    /// The sum of the values at a key path; zero of none.
    public static func sum(_ keyPath: KeyPath<Model, Value>) -> Aggregate { sum(keyPath as AnyKeyPath) }

    /// The sum of the values at a key path, nil left out; zero of none.
    public static func sum(_ keyPath: KeyPath<Model, Value?>) -> Aggregate { sum(keyPath as AnyKeyPath) }

    private static func sum(_ keyPath: AnyKeyPath) -> Aggregate {
        Aggregate(function: "sum:", keyPath: keyPath) { stored in
            stored.flatMap { ColumnCache.value($0, of: Value.self) } ?? .zero
        }
    }
}

extension Aggregate where Value == Double? {
    /// The average of the values at a key path; nil of none.
    public static func average<Number: Numeric>(_ keyPath: KeyPath<Model, Number>) -> Aggregate {
        average(keyPath as AnyKeyPath)
    }

    /// The average of the values at a key path, nil left out; nil of none.
    public static func average<Number: Numeric>(_ keyPath: KeyPath<Model, Number?>) -> Aggregate {
        average(keyPath as AnyKeyPath)
    }

    private static func average(_ keyPath: AnyKeyPath) -> Aggregate {
        Aggregate(function: "average:", keyPath: keyPath) { $0.flatMap(Double.init(stored:)) }
    }
}

extension Aggregate {
    /// The least value at a key path; nil of none. That of an enumeration is the one with the least raw value.
    public static func minimum<Property>(_ keyPath: KeyPath<Model, Property>) -> Aggregate where Value == Property? {
        extreme("min:", keyPath)
    }

    /// The least value at a key path, nil left out; nil of none.
    public static func minimum<Property>(_ keyPath: KeyPath<Model, Property?>) -> Aggregate where Value == Property? {
        extreme("min:", keyPath)
    }

    /// The greatest value at a key path; nil of none. That of an enumeration is the one with the greatest raw value.
    public static func maximum<Property>(_ keyPath: KeyPath<Model, Property>) -> Aggregate where Value == Property? {
        extreme("max:", keyPath)
    }

    /// The greatest value at a key path, nil left out; nil of none.
    public static func maximum<Property>(_ keyPath: KeyPath<Model, Property?>) -> Aggregate where Value == Property? {
        extreme("max:", keyPath)
    }

    private static func extreme<Property>(_ function: String, _ keyPath: AnyKeyPath) -> Aggregate
    where Value == Property? {
        Aggregate(function: function, keyPath: keyPath) { stored in
            stored.flatMap { ColumnCache.value($0, of: Property.self) }
        }
    }
}

extension ColumnCache {
    /// The value of a stored form; nil for a type without a column.
    static func value<Value>(_ stored: Any, of type: Value.Type) -> Value? {
        (column(for: type) as? ModelColumn<Value>)?.decode(stored)
    }
}
#endif
