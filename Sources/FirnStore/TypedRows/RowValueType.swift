package import FirnLog
import FirnModel

/// The columns that a `RowValue` can hold. For this module.
public struct RowValueType: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case integer(bits: Int)
        case real(bits: Int)
        case boolean, number, decimal, text, link, date, data, uuid, identity
    }

    package let content: Content

    package init(_ content: Content) { self.content = content }

    /// Whether the values of an attribute fit. A computed value has no width: each is checked when it is read.
    package func holds(_ kind: AttributeKind, isComputed: Bool) -> Bool {
        switch (content, kind) {
        case (.integer(let bits), .integer16): bits >= 16
        case (.integer(let bits), .integer32): bits >= 32 || isComputed
        case (.integer(let bits), .integer64): bits >= 64 || isComputed
        case (.real, .float): true
        // A date as seconds since 2001, as Xcode's scalar classes declare it.
        case (.real(let bits), .double), (.real(let bits), .date): bits >= 64 || isComputed && kind == .double
        case (.number, .integer16), (.number, .integer32), (.number, .integer64), (.number, .boolean),
            (.number, .double), (.number, .float), (.number, .decimal):
            true
        case (.boolean, .boolean), (.decimal, .decimal), (.text, .string), (.link, .uri), (.link, .objectID),
            (.date, .date), (.data, .binary), (.data, .transformable), (.uuid, .uuid):
            true
        default: false
        }
    }

    /// The type that a computed column is converted to.
    var resultType: NSAttributeType {
        switch content {
        case .integer: .integer64AttributeType
        case .real: .doubleAttributeType
        case .boolean: .booleanAttributeType
        case .decimal: .decimalAttributeType
        case .text: .stringAttributeType
        case .link: .URIAttributeType
        case .date: .dateAttributeType
        case .data: .binaryDataAttributeType
        case .uuid: .UUIDAttributeType
        case .number, .identity: .undefinedAttributeType
        }
    }
}

extension AttributeKind {
    /// The type as the model editor calls it, and the types of Swift that hold its values.
    var names: (model: String, swift: String) {
        switch self {
        case .integer16: ("Integer 16", "Int16, Int32, Int64 or Int")
        case .integer32: ("Integer 32", "Int32, Int64 or Int")
        case .integer64: ("Integer 64", "Int64 or Int")
        case .boolean: ("Boolean", "Bool")
        case .double: ("Double", "Double")
        case .float: ("Float", "Float or Double")
        case .decimal: ("Decimal", "Decimal or NSDecimalNumber")
        case .string: ("String", "String")
        case .date: ("Date", "Date")
        case .binary: ("Binary Data", "Data")
        case .uuid: ("UUID", "UUID")
        case .uri: ("URI", "URL")
        case .transformable: ("Transformable", "Data, which is the archived value; fetch objects to have the value")
        case .objectID: ("Object ID", "URL")
        }
    }
}
