/// How the objects of a change to a set are combined with those that are in it.
///
/// https://developer.apple.com/documentation/foundation/nskeyvaluesetmutationkind
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Members are added.
    case union = 1
    /// Members are removed.
    case minus = 2
    /// Other members are removed.
    case intersect = 3
    /// All members are replaced.
    case set = 4
}

/// The change of an observed property.
///
/// https://developer.apple.com/documentation/foundation/nskeyvaluechange
public enum NSKeyValueChange: UInt, Sendable {
    /// The value was set.
    case setting = 1
    /// Members were inserted.
    case insertion = 2
    /// Members were removed.
    case removal = 3
    /// Members were replaced.
    case replacement = 4
}

/// The keys of the dictionary that describes a change.
///
/// https://developer.apple.com/documentation/foundation/nskeyvaluechangekey
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The key of the kind of change.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The new value.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The old value.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The places of members.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// That the change is still to come.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(
        rawValue: "notificationIsPrior")
}

/// The values that an observer of a property receives, and when.
///
/// https://developer.apple.com/documentation/foundation/nskeyvalueobservingoptions
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// With the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// With the old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// At once, too.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// Before the change, too.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The names of the collection operators, for key paths that are put together.
///
/// https://developer.apple.com/documentation/foundation/nskeyvalueoperator
public struct NSKeyValueOperator: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// `@avg`, the mean.
    public static let averageKeyValueOperator = NSKeyValueOperator(rawValue: "avg")
    /// `@count`, how many there are.
    public static let countKeyValueOperator = NSKeyValueOperator(rawValue: "count")
    /// `@distinctUnionOfArrays`, the members of all arrays, each once.
    public static let distinctUnionOfArraysKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfArrays")
    /// `@distinctUnionOfObjects`, the values, each once.
    public static let distinctUnionOfObjectsKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfObjects")
    /// `@distinctUnionOfSets`, the members of all sets, each once.
    public static let distinctUnionOfSetsKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfSets")
    /// `@max`, the greatest value.
    public static let maximumKeyValueOperator = NSKeyValueOperator(rawValue: "max")
    /// `@min`, the smallest value.
    public static let minimumKeyValueOperator = NSKeyValueOperator(rawValue: "min")
    /// `@sum`, the sum.
    public static let sumKeyValueOperator = NSKeyValueOperator(rawValue: "sum")
    /// `@unionOfArrays`, the members of all arrays.
    public static let unionOfArraysKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfArrays")
    /// `@unionOfObjects`, all values.
    public static let unionOfObjectsKeyValueOperator = NSKeyValueOperator(
        rawValue: "unionOfObjects")
    /// `@unionOfSets`, the members of all sets.
    public static let unionOfSetsKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfSets")
}
