internal import FirnLog
internal import FirnModel

extension NSAttributeType {
    /// The log's kind for values of this type; nil for a type without a value of its own.
    var storedKind: AttributeKind? {
        switch self {
        case .integer16AttributeType: .integer16
        case .integer32AttributeType: .integer32
        case .integer64AttributeType: .integer64
        case .booleanAttributeType: .boolean
        case .doubleAttributeType: .double
        case .floatAttributeType: .float
        case .decimalAttributeType: .decimal
        case .stringAttributeType: .string
        case .dateAttributeType: .date
        case .binaryDataAttributeType: .binary
        case .UUIDAttributeType: .uuid
        case .URIAttributeType: .uri
        case .transformableAttributeType: .transformable
        case .objectIDAttributeType: .objectID
        case .undefinedAttributeType, .compositeAttributeType: nil
        }
    }
}
