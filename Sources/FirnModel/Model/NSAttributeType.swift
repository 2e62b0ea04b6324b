/// The type of an attribute's value. The numbers are Apple's, as in compiled models.
///
/// https://developer.apple.com/documentation/coredata/nsattributetype
public enum NSAttributeType: UInt, Sendable {
    /// Legal for transient attributes only.
    case undefinedAttributeType = 0
    /// A whole number of 16 bits.
    case integer16AttributeType = 100
    /// A whole number of 32 bits.
    case integer32AttributeType = 200
    /// A whole number of 64 bits.
    case integer64AttributeType = 300
    /// A decimal number.
    case decimalAttributeType = 400
    /// A floating-point number of 64 bits.
    case doubleAttributeType = 500
    /// A floating-point number of 32 bits.
    case floatAttributeType = 600
    /// A text.
    case stringAttributeType = 700
    /// True or false.
    case booleanAttributeType = 800
    /// A date.
    case dateAttributeType = 900
    /// Bytes.
    case binaryDataAttributeType = 1000
    /// A UUID.
    case UUIDAttributeType = 1100
    /// A URI.
    case URIAttributeType = 1200
    /// Stored as data; a `ValueTransformer` makes the value.
    case transformableAttributeType = 1800
    /// An object ID.
    case objectIDAttributeType = 2000
    /// Several attributes under one name.
    case compositeAttributeType = 2100
}

/// The rule for the objects at the other end of a relationship when an object is deleted.
///
/// https://developer.apple.com/documentation/coredata/nsdeleterule
public enum NSDeleteRule: UInt, Sendable {
    /// Leaves related objects alone.
    case noActionDeleteRule = 0
    /// Ends the relationship of related objects.
    case nullifyDeleteRule = 1
    /// Deletes related objects.
    case cascadeDeleteRule = 2
    /// Refuses the deletion while there are related objects.
    case denyDeleteRule = 3
}

/// The kind of tree for an element of a fetch index.
///
/// https://developer.apple.com/documentation/coredata/nsfetchindexelementtype
public enum NSFetchIndexElementType: UInt, Sendable {
    /// Ordered, for comparisons and sorting.
    case binary = 0
    /// Spatial, for ranges of several numbers.
    case rTree = 1
}
