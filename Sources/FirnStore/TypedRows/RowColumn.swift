public import class FirnFoundation.NSExpression
import FirnModel
public import Foundation

/// A column of a fetch of rows: a property, an expression, or a value computed of all rows of a group. Ours, not
/// Apple's.
///
///     .value(\.title)                         a property, at the end of to-one relationships too: \.author?.name
///     .key("author.name", as: String?.self)   the same by its name in key-value coding
///     .optional(\.pages)                      an attribute without a value is nil, where the class has zero for it
///     .computed(NSExpression(format: "pages * 2"), as: Int.self)
///     .count, .count(\.title), .sum(\.pages), .average(\.pages), .min(\.pages), .max(\.pages)
///
/// `Object` is the class that the key paths begin at. Among several columns, a key path over an optional names it, as
/// the compiler does not find it out: `.value(\Book.author?.name)`.
public struct RowColumn<Object, Value: RowValue> {
    @usableFromInline
    package var column: AnyRowColumn

    private init(_ column: AnyRowColumn) { self.column = column }

    /// The property at a key path. One that ends at an object's `objectID` is the ID.
    public static func value(_ keyPath: KeyPath<Object, Value>) -> RowColumn {
        RowColumn(.property(keyPath, Value.self))
    }

    /// The property with this name, or at the end of this path: `"author.name"`. A to-one relationship is the
    /// `NSManagedObjectID` of its object, and `"objectID"` that of the row's own.
    public static func key(_ name: String, as type: Value.Type = Value.self) -> RowColumn {
        RowColumn(.property(name, Value.self))
    }

    /// The property at a key path whose class cannot say that it has no value: nil where it has none.
    public static func optional<Property>(_ keyPath: KeyPath<Object, Property>) -> RowColumn
    where Value == Property? {
        RowColumn(.property(keyPath, Value.self))
    }

    /// The value of an expression that the store computes, converted to the type as `expressionResultType` does it.
    /// It is nil where it cannot be converted.
    public static func computed(_ expression: NSExpression, as type: Value.Type = Value.self) -> RowColumn {
        RowColumn(.computed(expression, Value.self))
    }

    /// The column under another name, by which sort descriptors and a `having` predicate refer to it. Without one, a
    /// computed column has the format of its expression: `"sum:(pages)"`.
    public func named(_ name: String) -> RowColumn {
        var copy = self
        copy.column = column.named(name)
        return copy
    }

    fileprivate static func aggregate(_ function: String, _ keyPath: AnyKeyPath) -> RowColumn {
        RowColumn(.aggregate(function, keyPath, Value.self))
    }
}

// Values of all rows of a group, or of all that the fetch finds. Nulls are left out.

extension RowColumn where Value == Int {
    /// How many rows there are.
    public static var count: RowColumn { RowColumn(.count(Value.self)) }

    /// How many rows have a value at a key path.
    public static func count<Property>(_ keyPath: KeyPath<Object, Property>) -> RowColumn {
        aggregate("count:", keyPath)
    }

    /// The sum of whole numbers; zero of none.
    public static func sum<Number: BinaryInteger>(_ keyPath: KeyPath<Object, Number>) -> RowColumn {
        aggregate("sum:", keyPath)
    }

    /// The sum of whole numbers; zero of none.
    public static func sum<Number: BinaryInteger>(_ keyPath: KeyPath<Object, Number?>) -> RowColumn {
        aggregate("sum:", keyPath)
    }
}

extension RowColumn where Value == Double {
    /// The sum of real numbers; zero of none.
    public static func sum<Number: BinaryFloatingPoint>(_ keyPath: KeyPath<Object, Number>) -> RowColumn {
        aggregate("sum:", keyPath)
    }

    /// The sum of real numbers; zero of none.
    public static func sum<Number: BinaryFloatingPoint>(_ keyPath: KeyPath<Object, Number?>) -> RowColumn {
        aggregate("sum:", keyPath)
    }
}

extension RowColumn where Value == Decimal {
    /// The sum of decimals; zero of none.
    public static func sum<Number: DecimalColumn>(_ keyPath: KeyPath<Object, Number>) -> RowColumn {
        aggregate("sum:", keyPath)
    }
}

extension RowColumn where Value == Double? {
    /// The average; nil of none.
    public static func average<Number: BinaryInteger>(_ keyPath: KeyPath<Object, Number>) -> RowColumn {
        aggregate("average:", keyPath)
    }

    /// The average; nil of none.
    public static func average<Number: BinaryInteger>(_ keyPath: KeyPath<Object, Number?>) -> RowColumn {
        aggregate("average:", keyPath)
    }

    /// The average; nil of none.
    public static func average<Number: BinaryFloatingPoint>(_ keyPath: KeyPath<Object, Number>) -> RowColumn {
        aggregate("average:", keyPath)
    }

    /// The average; nil of none.
    public static func average<Number: BinaryFloatingPoint>(_ keyPath: KeyPath<Object, Number?>) -> RowColumn {
        aggregate("average:", keyPath)
    }
}

extension RowColumn where Value == Decimal? {
    /// The average of decimals; nil of none.
    public static func average<Number: DecimalColumn>(_ keyPath: KeyPath<Object, Number>) -> RowColumn {
        aggregate("average:", keyPath)
    }
}

extension RowColumn {
    /// The least value; nil of none.
    public static func min<Property>(_ keyPath: KeyPath<Object, Property>) -> RowColumn where Value == Property? {
        aggregate("min:", keyPath)
    }

    /// The least value; nil of none.
    public static func min<Property>(_ keyPath: KeyPath<Object, Property?>) -> RowColumn where Value == Property? {
        aggregate("min:", keyPath)
    }

    /// The greatest value; nil of none.
    public static func max<Property>(_ keyPath: KeyPath<Object, Property>) -> RowColumn where Value == Property? {
        aggregate("max:", keyPath)
    }

    /// The greatest value; nil of none.
    public static func max<Property>(_ keyPath: KeyPath<Object, Property?>) -> RowColumn where Value == Property? {
        aggregate("max:", keyPath)
    }
}

/// A type that a class declares a decimal attribute with.
public protocol DecimalColumn {}

extension Decimal: DecimalColumn {}
extension NSDecimalNumber: DecimalColumn {}
extension Optional: DecimalColumn where Wrapped: DecimalColumn {}
