extension NSAttributeType {
    private static let integers: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    ]

    /// Whether a lightweight migration makes values of the other type of those of this one: the same type, another
    /// width of integers, an integer of a Boolean, a float or double of an integer, a double of a float.
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
