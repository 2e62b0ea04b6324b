public import Foundation

open class NSSortDescriptor: NSObject, NSCopying, @unchecked Sendable {
    open func copy(with zone: NSZone? = nil) -> Any { self }
    open func compare(_ object1: Any, to object2: Any) -> ComparisonResult { .orderedSame }
}

open class UndoManager: NSObject {
    open func removeAllActions() {}
}

public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
        rawValue: "NSSecureUnarchiveFromData")
}

open class ValueTransformer: NSObject {
    public convenience init?(forName name: NSValueTransformerName) { return nil }
    open func transformedValue(_ value: Any?) -> Any? { value }
    open func reverseTransformedValue(_ value: Any?) -> Any? { value }
}

public protocol KeyValueCoding: AnyObject {
    func value(forKey key: String) -> Any?
    func setValue(_ value: Any?, forKey key: String)
}

public enum NSKeyValueSetMutationKind: UInt, Sendable {
    case union = 1, minus = 2, intersect = 3, set = 4
}
