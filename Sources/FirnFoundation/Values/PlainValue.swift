import Foundation

/// What a value is to a comparison, whichever of Swift's or Foundation's types carries it.
enum PlainValue {
    case null
    case string(String)
    case number(NumericValue)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    case array([Any])
    case orderedSet(NSOrderedSet)
    case set(NSSet)
    case dictionary(NSDictionary)
    case object(AnyObject)
    /// A Swift value of a type that is not known here.
    case other(Any)

    init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        if let native = PlainValue.opened(value) {
            self = native
        } else {
            self = PlainValue.classInstance(value) ?? PlainValue.rare(value)
        }
    }

    private static func opened(_ value: Any) -> PlainValue? {
        func known<Value>(_ value: Value) -> PlainValue? { native(value) }
        return _openExistential(value, do: known)
    }

    /// The types that come most. A look at the exact type is much cheaper than a cast, which may bridge.
    private static func native<Value>(_ value: Value) -> PlainValue? {
        let type = Value.self
        if type == String.self { return .string(unsafeBitCast(value, to: String.self)) }
        if type == Int.self { return .number(.integer(Int64(unsafeBitCast(value, to: Int.self)))) }
        if type == Double.self { return .number(.double(unsafeBitCast(value, to: Double.self))) }
        if type == Bool.self {
            return .number(.integer(unsafeBitCast(value, to: Bool.self) ? 1 : 0))
        }
        if type == Date.self { return .date(unsafeBitCast(value, to: Date.self)) }
        if type == Int64.self { return .number(.integer(unsafeBitCast(value, to: Int64.self))) }
        if type == Int32.self {
            return .number(.integer(Int64(unsafeBitCast(value, to: Int32.self))))
        }
        if type == Int16.self {
            return .number(.integer(Int64(unsafeBitCast(value, to: Int16.self))))
        }
        if type == Decimal.self { return .number(.decimal(unsafeBitCast(value, to: Decimal.self))) }
        if type == Float.self {
            return .number(.double(Double(unsafeBitCast(value, to: Float.self))))
        }
        if type == UUID.self { return .uuid(unsafeBitCast(value, to: UUID.self)) }
        if type == Data.self { return .data(unsafeBitCast(value, to: Data.self)) }
        if type == URL.self { return .url(unsafeBitCast(value, to: URL.self)) }
        // A value out of a `Set<AnyHashable>` still wears the wrapper.
        if type == AnyHashable.self {
            return PlainValue(unsafeBitCast(value, to: AnyHashable.self).base)
        }
        // Generic code that converts an `Element` which is `Any` puts one box into another.
        if type as Any.Type == Any.self { return opened(unsafeBitCast(value, to: Any.self)) }
        return nil
    }

    /// Instances of classes: Foundation's own, then everything else as an object.
    private static func classInstance(_ value: Any) -> PlainValue? {
        guard Swift.type(of: value) is AnyClass else { return nil }
        let object = value as AnyObject
        switch object {
        case let value as NSString: return .string(value as String)
        case let value as NSDecimalNumber: return .number(.decimal(value.decimalValue))
        case let value as NSNumber: return .number(NumericValue(value))
        case let value as NSDate: return .date(value as Date)
        case is NSNull: return .null
        case let value as NSArray: return .array(value.map { $0 })
        case let value as NSSet: return .set(value)
        case let value as NSOrderedSet: return .orderedSet(value)
        case let value as NSDictionary: return .dictionary(value)
        case let value as NSData: return .data(value as Data)
        case let value as NSUUID: return .uuid(value as UUID)
        case let value as NSURL: return .url(value as URL)
        default: return .object(object)
        }
    }

    private static func rare(_ value: Any) -> PlainValue {
        switch value {
        case let value as any AnyOptional: return value.unwrapped.map(PlainValue.init) ?? .null
        case let value as any FixedWidthInteger: return .number(NumericValue(integer: value))
        case let value as CGFloat: return .number(.double(Double(value)))
        case let value as Substring: return .string(String(value))
        case let value as Character: return .string(String(value))
        case let value as [Any]: return .array(value)
        case let value as Set<AnyHashable>: return .set(value as NSSet)
        case let value as [AnyHashable: Any]: return .dictionary(value as NSDictionary)
        default: return .other(value)
        }
    }
}
