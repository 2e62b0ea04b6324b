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
