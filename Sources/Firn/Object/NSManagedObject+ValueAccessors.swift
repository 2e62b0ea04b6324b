public import FirnRuntime
public import Foundation

/// Functions that the accessors of `@NSManaged` properties jump to, with the property's row behind the value: one pair
/// for each type that is passed in a way of its own. An application does not call these itself.
///
/// Their symbols are in `Tools/AccessorGeneration/AccessorKind.swift`, with the number of registers of the value.
extension NSManagedObject {
    @inline(__always)
    private func key(_ row: AccessorRow) -> String { ManagedProperty.at(row).pointee.key }

    @_silgen_name("firn_get_int16")
    public final func accessedInt16(_ row: AccessorRow) -> Int16 {
        Int16(truncatingIfNeeded: managedInteger(row))
    }
    @_silgen_name("firn_set_int16")
    public final func accessInt16(_ value: __owned Int16, _ row: AccessorRow) {
        setManagedInteger(Int64(value), row)
    }

    @_silgen_name("firn_get_int32")
    public final func accessedInt32(_ row: AccessorRow) -> Int32 {
        Int32(truncatingIfNeeded: managedInteger(row))
    }
    @_silgen_name("firn_set_int32")
    public final func accessInt32(_ value: __owned Int32, _ row: AccessorRow) {
        setManagedInteger(Int64(value), row)
    }

    @_silgen_name("firn_get_int64")
    public final func accessedInt64(_ row: AccessorRow) -> Int64 { managedInteger(row) }
    @_silgen_name("firn_set_int64")
    public final func accessInt64(_ value: __owned Int64, _ row: AccessorRow) {
        setManagedInteger(value, row)
    }

    @_silgen_name("firn_get_bool")
    public final func accessedBool(_ row: AccessorRow) -> Bool { managedBoolean(row) }
    @_silgen_name("firn_set_bool")
    public final func accessBool(_ value: __owned Bool, _ row: AccessorRow) { setManagedBoolean(value, row) }

    @_silgen_name("firn_get_double")
    public final func accessedDouble(_ row: AccessorRow) -> Double { managedReal(row) }
    @_silgen_name("firn_set_double")
    public final func accessDouble(_ value: __owned Double, _ row: AccessorRow) { setManagedReal(value, row) }

    @_silgen_name("firn_get_float")
    public final func accessedFloat(_ row: AccessorRow) -> Float { Float(managedReal(row)) }
    @_silgen_name("firn_set_float")
    public final func accessFloat(_ value: __owned Float, _ row: AccessorRow) {
        setManagedReal(Double(value), row)
    }

    @_silgen_name("firn_get_string")
    public final func accessedString(_ row: AccessorRow) -> String { managedText(row) ?? "" }
    @_silgen_name("firn_set_string")
    public final func accessString(_ value: __owned String, _ row: AccessorRow) { setManagedText(value, row) }
    @_silgen_name("firn_get_string_optional")
    public final func accessedOptionalString(_ row: AccessorRow) -> String? { managedText(row) }
    @_silgen_name("firn_set_string_optional")
    public final func accessOptionalString(_ value: __owned String?, _ row: AccessorRow) {
        setManagedText(value, row)
    }

    @_silgen_name("firn_get_date")
    public final func accessedDate(_ row: AccessorRow) -> Date {
        managedDate(row) ?? managedValue(key(row))
    }
    @_silgen_name("firn_set_date")
    public final func accessDate(_ value: __owned Date, _ row: AccessorRow) { setManagedDate(value, row) }
    @_silgen_name("firn_get_date_optional")
    public final func accessedOptionalDate(_ row: AccessorRow) -> Date? { managedDate(row) }
    @_silgen_name("firn_set_date_optional")
    public final func accessOptionalDate(_ value: __owned Date?, _ row: AccessorRow) {
        setManagedDate(value, row)
    }

    @_silgen_name("firn_get_data")
    public final func accessedData(_ row: AccessorRow) -> Data {
        managedData(row) ?? managedValue(key(row))
    }
    @_silgen_name("firn_set_data")
    public final func accessData(_ value: __owned Data, _ row: AccessorRow) { setManagedData(value, row) }
    @_silgen_name("firn_get_data_optional")
    public final func accessedOptionalData(_ row: AccessorRow) -> Data? { managedData(row) }
    @_silgen_name("firn_set_data_optional")
    public final func accessOptionalData(_ value: __owned Data?, _ row: AccessorRow) {
        setManagedData(value, row)
    }

    @_silgen_name("firn_get_uuid")
    public final func accessedUUID(_ row: AccessorRow) -> UUID { managedValue(key(row)) }
    @_silgen_name("firn_set_uuid")
    public final func accessUUID(_ value: __owned UUID, _ row: AccessorRow) { setManagedValue(value, key(row)) }
    @_silgen_name("firn_get_uuid_optional")
    public final func accessedOptionalUUID(_ row: AccessorRow) -> UUID? { managedValue(key(row)) }
    @_silgen_name("firn_set_uuid_optional")
    public final func accessOptionalUUID(_ value: __owned UUID?, _ row: AccessorRow) {
        setManagedValue(value, key(row))
    }

    @_silgen_name("firn_get_url")
    public final func accessedURL(_ row: AccessorRow) -> URL { managedValue(key(row)) }
    @_silgen_name("firn_set_url")
    public final func accessURL(_ value: __owned URL, _ row: AccessorRow) { setManagedValue(value, key(row)) }
    @_silgen_name("firn_get_url_optional")
    public final func accessedOptionalURL(_ row: AccessorRow) -> URL? { managedValue(key(row)) }
    @_silgen_name("firn_set_url_optional")
    public final func accessOptionalURL(_ value: __owned URL?, _ row: AccessorRow) {
        setManagedValue(value, key(row))
    }

    @_silgen_name("firn_get_decimal")
    public final func accessedDecimal(_ row: AccessorRow) -> Decimal { managedValue(key(row)) }
    @_silgen_name("firn_set_decimal")
    public final func accessDecimal(_ value: __owned Decimal, _ row: AccessorRow) {
        setManagedValue(value, key(row))
    }
    @_silgen_name("firn_get_decimal_optional")
    public final func accessedOptionalDecimal(_ row: AccessorRow) -> Decimal? { managedValue(key(row)) }
    @_silgen_name("firn_set_decimal_optional")
    public final func accessOptionalDecimal(_ value: __owned Decimal?, _ row: AccessorRow) {
        setManagedValue(value, key(row))
    }
}
