public import Foundation

/// A result of a fetch: managed objects, their identities, dictionaries, and counts.
///
/// https://developer.apple.com/documentation/coredata/nsfetchrequestresult
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The form of a fetch's results.
///
/// https://developer.apple.com/documentation/coredata/nsfetchrequestresulttype
public struct NSFetchRequestResultType: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects; the empty option set.
    public static var managedObjectResultType: NSFetchRequestResultType { NSFetchRequestResultType([]) }
    /// Object IDs.
    public static var managedObjectIDResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 1) }
    /// Dictionaries.
    public static var dictionaryResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 2) }
    /// An array of exactly one number.
    public static var countResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 4) }
}
