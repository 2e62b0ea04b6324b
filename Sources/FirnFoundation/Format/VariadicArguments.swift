public import Foundation

// What Apple's platforms let stand among the arguments of a format, `NSPredicate(format: "parent == %@", parent)`, and
// after `as CVarArg`: there every object is a C argument, and Swift's values become objects. On Linux only numbers and
// strings are, so code from there would not compile without these conformances.
//
// Predicates take the arguments as they are. Only C itself asks for the encoding: it is the object's address.

extension NSObject: @retroactive CVarArg {
    /// The object's address. Whoever calls C keeps the object alive.
    public var _cVarArgEncoding: [Int] {
        [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
    }
}

/// The address of the value's object, which nothing releases: C has no owner for it.
private func encoding(_ object: NSObject) -> [Int] {
    [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}

extension Date: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(self as NSDate) }
}

extension UUID: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(self as NSUUID) }
}

extension URL: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(self as NSURL) }
}

extension Data: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(self as NSData) }
}

extension Decimal: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(self as NSDecimalNumber) }
}

extension Array: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(NSArray(array: self)) }
}

extension Set: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(NSSet(array: Array(self))) }
}

extension Dictionary: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(self as NSDictionary) }
}
