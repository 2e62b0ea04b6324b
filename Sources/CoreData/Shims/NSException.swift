public import Foundation

/// The key of an error's sentence that says what failed, which comes before the sentence that says why.
///
/// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
@_disfavoredOverload public let NSLocalizedFailureErrorKey = "NSLocalizedFailure"

/// An exception of Objective-C. Nothing catches it here: `raise()` stops the program with its reason.
///
/// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
open class NSException: NSObject {
    /// The kind of exception.
    public let name: NSExceptionName
    /// The cause in words.
    public let reason: String?
    /// Values of the program's own.
    public let userInfo: [AnyHashable: Any]?

    /// An exception, which is not raised yet.
    public init(name: NSExceptionName, reason: String?, userInfo: [AnyHashable: Any]? = nil) {
        self.name = name
        self.reason = reason
        self.userInfo = userInfo
    }

    /// Stops the program.
    open func raise() { fatalError("\(name.rawValue): \(reason ?? "no reason given")") }
}

/// Foundation has them on Apple's systems, and not on Linux up to Swift 6.3.
extension NSExceptionName {
    /// An exception of no particular kind.
    @_disfavoredOverload public static var genericException: Self { Self(rawValue: "NSGenericException") }
    /// An argument that a method does not take.
    @_disfavoredOverload public static var invalidArgumentException: Self {
        Self(rawValue: "NSInvalidArgumentException")
    }
    /// A state that must not be.
    @_disfavoredOverload public static var internalInconsistencyException: Self {
        Self(rawValue: "NSInternalInconsistencyException")
    }
    /// A place outside of a collection.
    @_disfavoredOverload public static var rangeException: Self { Self(rawValue: "NSRangeException") }
}
