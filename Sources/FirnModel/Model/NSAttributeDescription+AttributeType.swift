extension NSAttributeDescription {
    /// `NSAttributeType` under shorter names.
    ///
    /// https://developer.apple.com/documentation/coredata/nsattributedescription/attributetype
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        public typealias RawValue = NSAttributeType

        public var rawValue: NSAttributeType

        public init(rawValue: NSAttributeType) { self.rawValue = rawValue }

        /// No type.
        public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
        /// A whole number of 16 bits.
        public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
        /// A whole number of 32 bits.
        public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
        /// A whole number of 64 bits.
        public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
        /// A decimal number.
        public static let decimal = AttributeType(rawValue: .decimalAttributeType)
        /// A floating-point number of 64 bits.
        public static let double = AttributeType(rawValue: .doubleAttributeType)
        /// A floating-point number of 32 bits.
        public static let float = AttributeType(rawValue: .floatAttributeType)
        /// A text.
        public static let string = AttributeType(rawValue: .stringAttributeType)
        /// True or false.
        public static let boolean = AttributeType(rawValue: .booleanAttributeType)
        /// A date.
        public static let date = AttributeType(rawValue: .dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
        /// A URI.
        public static let uri = AttributeType(rawValue: .URIAttributeType)
        /// A value that a transformer turns into bytes.
        public static let transformable = AttributeType(rawValue: .transformableAttributeType)
        /// An object ID.
        public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
        /// Several attributes under one name.
        public static let composite = AttributeType(rawValue: .compositeAttributeType)
    }

    /// `attributeType` as an `AttributeType`.
    public var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }
}
