extension NSAttributeType {
    private static let integers: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    ]

    /// Whether a lightweight migration converts values of this type to the other type. Accepted are the same type,
    /// another integer width, Boolean to integer, integer to float or double, and float to double.
    package func canBecome(_ other: NSAttributeType) -> Bool {
        if self == other { return true }
        switch self {
        case .booleanAttributeType: return Self.integers.contains(other)
        case .floatAttributeType: return other == .doubleAttributeType
        default:
            let targets = Self.integers + [.floatAttributeType, .doubleAttributeType]
            return Self.integers.contains(self) && targets.contains(other)
        }
    }
}
