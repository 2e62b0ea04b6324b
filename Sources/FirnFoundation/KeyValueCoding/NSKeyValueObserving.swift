/// How the objects of a change to a set are combined with those that are in it.
///
/// https://developer.apple.com/documentation/foundation/nskeyvaluesetmutationkind
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    case union = 1
    case minus = 2
    case intersect = 3
    case set = 4
}

/// What happened to an observed property.
///
/// https://developer.apple.com/documentation/foundation/nskeyvaluechange
public enum NSKeyValueChange: UInt, Sendable {
    case setting = 1
    case insertion = 2
    case removal = 3
    case replacement = 4
}

/// The keys of the dictionary that describes a change.
///
/// https://developer.apple.com/documentation/foundation/nskeyvaluechangekey
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    public static let notificationIsPriorKey = NSKeyValueChangeKey(
        rawValue: "notificationIsPrior")
}

/// What an observer of a property receives, and when.
///
/// https://developer.apple.com/documentation/foundation/nskeyvalueobservingoptions
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The names of the collection operators, for key paths that are put together.
///
/// https://developer.apple.com/documentation/foundation/nskeyvalueoperator
public struct NSKeyValueOperator: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let averageKeyValueOperator = NSKeyValueOperator(rawValue: "avg")
    public static let countKeyValueOperator = NSKeyValueOperator(rawValue: "count")
    public static let distinctUnionOfArraysKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfArrays")
    public static let distinctUnionOfObjectsKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfObjects")
    public static let distinctUnionOfSetsKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfSets")
    public static let maximumKeyValueOperator = NSKeyValueOperator(rawValue: "max")
    public static let minimumKeyValueOperator = NSKeyValueOperator(rawValue: "min")
    public static let sumKeyValueOperator = NSKeyValueOperator(rawValue: "sum")
    public static let unionOfArraysKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfArrays")
    public static let unionOfObjectsKeyValueOperator = NSKeyValueOperator(
        rawValue: "unionOfObjects")
    public static let unionOfSetsKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfSets")
}
