import Foundation

/// A value as comparisons see it, whatever Swift or Foundation type it has.
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
    /// The members, each once, in no order.
    case set([Any])
    case dictionary(NSDictionary)
    case object(AnyObject)
    /// A Swift value of a type that is not known here.
    case other(Any)

    init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        self =
            PlainValue.native(value) ?? PlainValue.classInstance(value)
            ?? PlainValue.rare(value)
    }

    /// The most frequent types. Comparing the exact type is much faster than a cast that may bridge.
    private static func native(_ value: Any) -> PlainValue? {
        let type = Swift.type(of: value)
        if type == String.self { return .string(exactly(value)) }
        if type == Int.self { return .number(.integer(Int64(exactly(value) as Int))) }
        if type == Double.self { return .number(.double(exactly(value))) }
        if type == NSNumber.self { return .number(NumericValue(exactly(value))) }
        if type == Bool.self, let value = value as? Bool { return .number(.integer(value ? 1 : 0)) }
        if type == Date.self, let value = value as? Date { return .date(value) }
        if type == Int64.self, let value = value as? Int64 { return .number(.integer(value)) }
        if type == Int32.self, let value = value as? Int32 {
            return .number(.integer(Int64(value)))
        }
        if type == Int16.self, let value = value as? Int16 {
            return .number(.integer(Int64(value)))
        }
        if type == Decimal.self, let value = value as? Decimal { return .number(.decimal(value)) }
        if type == Float.self, let value = value as? Float {
            return .number(.double(Double(value)))
        }
        if type == UUID.self, let value = value as? UUID { return .uuid(value) }
        if type == Data.self, let value = value as? Data { return .data(value) }
        if type == URL.self, let value = value as? URL { return .url(value) }
        // A member of a `Set<AnyHashable>` is still wrapped.
        if type == AnyHashable.self, let value = value as? AnyHashable {
            return PlainValue(value.base)
        }
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
        case let value as NSSet: return .set(value.map { $0 })
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
        case let value as Set<AnyHashable>: return .set(value.map(\.base))
        case let value as [AnyHashable: Any]: return .dictionary(value as NSDictionary)
        default: return .other(value)
        }
    }
}
