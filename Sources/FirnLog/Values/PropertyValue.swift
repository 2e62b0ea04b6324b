/// One value of one property, in the form in which log and projection keep it.
///
/// How Core Data's attribute types map to it: Boolean and the integers → `integer`; Double, Float and
/// Date (seconds since 2001-01-01 00:00 UTC) → `real`; String, URI and Decimal (its shortest plain notation) →
/// `text`; Binary, UUID (16 bytes) and Transformable → `blob`; a to-one relationship → `reference`.
public enum PropertyValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case reference(ObjectKey)

    public var isNull: Bool { if case .null = self { true } else { false } }

    /// How a column of such values keeps them.
    public var storage: StorageType {
        switch self {
        case .null: .none
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        case .reference: .reference
        }
    }
}
