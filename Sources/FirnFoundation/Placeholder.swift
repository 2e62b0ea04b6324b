public import Foundation

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

public enum NSKeyValueSetMutationKind: UInt, Sendable {
    case union = 1, minus = 2, intersect = 3, set = 4
}
