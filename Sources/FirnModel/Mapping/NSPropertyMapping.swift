public import class FirnFoundation.NSExpression
public import Foundation

/// How one property of the destination gets its value.
/// https://developer.apple.com/documentation/coredata/nspropertymapping
open class NSPropertyMapping: NSObject, @unchecked Sendable {
    /// The name of the property in the destination.
    open var name: String?
    /// The value, of the variables `$source`, `$destination`, `$manager`, `$entityMapping`, `$propertyMapping` and
    /// `$entityPolicy`. Nil leaves the property as the new object has it.
    open var valueExpression: NSExpression?
    /// Values of the program's own.
    open var userInfo: [AnyHashable: Any]?

    public override init() { super.init() }

    /// Whether both give the property of one name the value of equal expressions.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        if other === self { return true }
        return name == other.name && valueExpression == other.valueExpression
            && MappingContent.isSame(userInfo, other.userInfo)
    }

    open override var hash: Int { name.hashValue }
}
