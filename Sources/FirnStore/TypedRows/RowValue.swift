public import Foundation
public import FirnModel

/// A type whose values a fetch of rows reads straight from the store's tables.
///
/// `Int`, `Int16`, `Int32`, `Int64`, `Double`, `Float`, `Bool`, `String`, `Date`, `Data`, `Decimal`, `UUID`, `URL`,
/// `NSNumber`, `NSDecimalNumber`, `NSManagedObjectID`, and optionals of them. An enumeration with raw values of such a
/// type conforms without code of its own:
///
///     extension Mood: RowValue {}
///
/// The requirements are for this module: an application does not write or call them. Ours, not Apple's.
public protocol RowValue {
    /// The columns that the type can hold.
    static var rowValueType: RowValueType { get }
    /// The value of the current row in a column; nil for null.
    static func value(in row: RowValueCursor, at column: Int32) throws -> Self?
    /// The value of the current row in the column after `column`. Throws for a null that the type cannot hold.
    ///
    /// A requirement, as the compiler does not specialize a function that is called for each type of a parameter pack.
    /// It has the code of each type's own.
    static func next(in row: RowValueCursor, after column: inout Int32) throws -> Self
}

extension RowValue {
    @inlinable
    public static func next(in row: RowValueCursor, after column: inout Int32) throws -> Self {
        column += 1
        guard let value = try value(in: row, at: column) else { throw row.missing(Self.self, column) }
        return value
    }
}

extension Optional: RowValue where Wrapped: RowValue {
    public static var rowValueType: RowValueType { Wrapped.rowValueType }

    @inlinable
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Wrapped?? {
        .some(try Wrapped.value(in: row, at: column))
    }

    @inlinable
    public static func next(in row: RowValueCursor, after column: inout Int32) throws -> Wrapped? {
        column += 1
        return try Wrapped.value(in: row, at: column)
    }
}

extension RawRepresentable where Self: RowValue, RawValue: RowValue {
    public static var rowValueType: RowValueType { RawValue.rowValueType }

    @inlinable
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Self? {
        guard let raw = try RawValue.value(in: row, at: column) else { return nil }
        guard let value = Self(rawValue: raw) else { throw row.unfit(Self.self, column, raw) }
        return value
    }
}

extension Int64: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.integer(bits: 64)) }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Int64? { try row.integer(column) }
}

extension Int: RowValue {
    public static var rowValueType: RowValueType { Int64.rowValueType }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Int? {
        try row.integer(column).map { Int(truncatingIfNeeded: $0) }
    }
}

extension Int32: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.integer(bits: 32)) }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Int32? {
        try row.integer(column, as: Int32.self)
    }
}

extension Int16: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.integer(bits: 16)) }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Int16? {
        try row.integer(column, as: Int16.self)
    }
}

extension RowValueCursor {
    @inline(__always)
    fileprivate func integer<Number: FixedWidthInteger>(_ column: Int32, as type: Number.Type) throws -> Number? {
        guard let value = try integer(column) else { return nil }
        guard let number = Number(exactly: value) else { throw unfit(type, column, value) }
        return number
    }
}

extension Bool: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.boolean) }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Bool? {
        try row.integer(column).map { $0 != 0 }
    }
}

extension Double: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.real(bits: 64)) }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Double? { try row.real(column) }
}

extension Float: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.real(bits: 32)) }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Float? {
        try row.real(column).map { Float($0) }
    }
}

extension Date: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.date) }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> Date? {
        try row.real(column).map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

extension String: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.text) }

    @inline(__always)
    public static func value(in row: RowValueCursor, at column: Int32) throws -> String? { try row.text(column) }
}

extension URL: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.link) }

    public static func value(in row: RowValueCursor, at column: Int32) throws -> URL? { try row.link(column) }
}

extension Data: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.data) }

    public static func value(in row: RowValueCursor, at column: Int32) throws -> Data? { try row.data(column) }
}

extension UUID: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.uuid) }

    public static func value(in row: RowValueCursor, at column: Int32) throws -> UUID? { try row.uuid(column) }
}

extension Decimal: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.decimal) }

    public static func value(in row: RowValueCursor, at column: Int32) throws -> Decimal? { try row.decimal(column) }
}

extension NSNumber: RowValue {
    public class var rowValueType: RowValueType { RowValueType(Self.self is NSDecimalNumber.Type ? .decimal : .number) }

    public static func value(in row: RowValueCursor, at column: Int32) throws -> Self? {
        try row.number(column) as? Self
    }
}

extension NSManagedObjectID: RowValue {
    public static var rowValueType: RowValueType { RowValueType(.identity) }

    public static func value(in row: RowValueCursor, at column: Int32) throws -> Self? {
        try row.objectID(column) as? Self
    }
}
