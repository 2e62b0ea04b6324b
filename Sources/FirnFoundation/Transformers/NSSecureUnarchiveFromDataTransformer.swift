import Foundation

/// Turns archived data into objects of allowed classes, and such objects into data.
///
/// `transformedValue(_:)` goes from data to object, `reverseTransformedValue(_:)` from object to
/// data. A subclass allows more classes by overriding `allowedTopLevelClasses`.
///
/// https://developer.apple.com/documentation/foundation/nssecureunarchivefromdatatransformer
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes whose objects are read; also those that are allowed inside collections.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self,
            NSDate.self, NSData.self, NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    open override class func transformedValueClass() -> AnyClass { NSObject.self }

    open override class func allowsReverseTransformation() -> Bool { true }

    /// The object in archived data; nil if the value is no data, is damaged, or holds a class that
    /// is not allowed.
    open override func transformedValue(_ value: Any?) -> Any? {
        let allowed = type(of: self).allowedTopLevelClasses
        guard case .data(let data) = PlainValue(value) else { return nil }
        switch ValueArchive.content(of: data, allowing: allowed) {
        case .object(let object): return object
        case .others: return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
        case .null, .damaged: return nil
        }
    }

    /// The object as archived data; nil for nil and for an object that cannot be archived securely.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, !ValueComparison.isNull(value), Self.isSecure(value as AnyObject) else { return nil }
        return try? NSKeyedArchiver.archivedData(
            withRootObject: value as AnyObject, requiringSecureCoding: true)
    }

    /// Foundation stops the program where an object, or a member of a collection, cannot be archived securely.
    private static func isSecure(_ object: AnyObject) -> Bool {
        switch object {
        case let list as NSArray: list.allSatisfy { isSecure($0 as AnyObject) }
        case let list as NSOrderedSet: list.allSatisfy { isSecure($0 as AnyObject) }
        case let set as NSSet: set.allSatisfy { isSecure($0 as AnyObject) }
        case let dictionary as NSDictionary:
            dictionary.allSatisfy { isSecure($0.key as AnyObject) && isSecure($0.value as AnyObject) }
        case let object as any NSSecureCoding: Swift.type(of: object).supportsSecureCoding
        default: false
        }
    }
}

/// `NSKeyedUnarchiveFromData` and `NSUnarchiveFromData`, for models that name no transformer: any
/// class is read.
final class KeyedUnarchiveTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        guard case .data(let data) = PlainValue(value) else { return nil }
        switch ValueArchive.content(of: data, allowing: nil) {
        case .object(let object): return object
        case .others: return Self.unarchived(data)
        case .null, .damaged: return nil
        }
    }

    private static func unarchived(_ data: Data) -> Any? {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        unarchiver.finishDecoding()
        return object
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, !ValueComparison.isNull(value) else { return nil }
        return try? NSKeyedArchiver.archivedData(
            withRootObject: value as AnyObject, requiringSecureCoding: false)
    }
}
