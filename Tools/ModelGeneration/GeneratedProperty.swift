import FirnModel

/// One property of a generated class.
struct GeneratedProperty {
    private let property: NSPropertyDescription
    private let access: String

    init(_ property: NSPropertyDescription, access: String) {
        self.property = property
        self.access = access
    }

    /// The declaration, indented by one step.
    var text: String {
        let key = property.name.asLiteral
        let type = swiftType
        // A date as a number: the seconds since 2001.
        let isSeconds = type.name == "TimeInterval" && type.zero != nil
        let seconds = "(value(forKey: \(key)) as? Date)?.timeIntervalSinceReferenceDate"
        let value = isSeconds ? seconds : "value(forKey: \(key)) as? \(type.name)"
        let getter = type.zero.map { "\(value) ?? \($0)" } ?? value
        let newValue = isSeconds ? "Date(timeIntervalSinceReferenceDate: newValue)" : "newValue"
        let declared = type.zero == nil ? type.name + "?" : type.name
        if property is NSDerivedAttributeDescription || property is NSFetchedPropertyDescription {
            return "    \(access)var \(property.name.asIdentifier): \(declared) { \(getter) }\n"
        }
        return """
                \(access)var \(property.name.asIdentifier): \(declared) {
                    get { \(getter) }
                    set { setValue(\(newValue), forKey: \(key)) }
                }

            """
    }

    /// A type, and for scalars the value that represents nil.
    private var swiftType: (name: String, zero: String?) {
        switch property {
        case let attribute as NSAttributeDescription: return type(of: attribute)
        case let relationship as NSRelationshipDescription:
            if relationship.isToMany {
                return (relationship.isOrdered ? "NSOrderedSet" : "NSSet", nil)
            }
            return (
                (relationship.destinationEntity?.swiftClassName ?? "NSManagedObject").asIdentifier,
                nil
            )
        default: return ("[Any]", nil)
        }
    }

    private func type(of attribute: NSAttributeDescription) -> (String, String?) {
        let isScalar = attribute.sourceAttributes["usesScalarValueType"] == "YES"
        func scalar(_ name: String, _ zero: String, otherwise boxed: String = "NSNumber") -> (
            String, String?
        ) {
            isScalar ? (name, zero) : (boxed, nil)
        }
        switch attribute.attributeType {
        case .integer16AttributeType: return scalar("Int16", "0")
        case .integer32AttributeType: return scalar("Int32", "0")
        case .integer64AttributeType: return scalar("Int64", "0")
        case .doubleAttributeType: return scalar("Double", "0")
        case .floatAttributeType: return scalar("Float", "0")
        case .booleanAttributeType: return scalar("Bool", "false")
        case .decimalAttributeType: return ("NSDecimalNumber", nil)
        case .stringAttributeType: return ("String", nil)
        case .dateAttributeType: return scalar("TimeInterval", "0", otherwise: "Date")
        case .binaryDataAttributeType: return ("Data", nil)
        case .UUIDAttributeType: return ("UUID", nil)
        case .URIAttributeType: return ("URL", nil)
        case .objectIDAttributeType: return ("NSManagedObjectID", nil)
        case .compositeAttributeType: return ("[String: Any]", nil)
        case .transformableAttributeType, .undefinedAttributeType:
            // A leading dot means the module in which the class is compiled.
            let name = attribute.sourceAttributes["customClassName"]?.drop { $0 == "." } ?? ""
            return (name.isEmpty ? "NSObject" : String(name), nil)
        }
    }
}
