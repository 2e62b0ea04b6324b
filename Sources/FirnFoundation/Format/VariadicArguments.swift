public import Foundation

// Types that Apple's platforms accept among a format's arguments, as in `NSPredicate(format: "parent == %@", parent)`,
// and after `as CVarArg`. There every object is a C argument, and Swift's values become objects. On Linux only numbers
// and strings are C arguments, so ported code needs these conformances to compile.
//
// Predicates use the arguments themselves. Only a call of C uses the encoding, which is the object's address.

extension NSObject: @retroactive CVarArg {
    /// The object's address. The caller of C must keep the object alive.
    public var _cVarArgEncoding: [Int] {
        [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
    }
}

/// The address of an object made of the value. It is never released, because C does not own it.
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
