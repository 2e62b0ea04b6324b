public import Foundation

/// Seconds since the beginning of the year 2001.
///
/// CoreFoundation has it on Apple's systems, and not on Linux up to Swift 6.3.
public typealias CFAbsoluteTime = TimeInterval

/// Returns the time of the system's clock.
///
/// CoreFoundation has it on Apple's systems, and not on Linux up to Swift 6.3.
@_disfavoredOverload
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }

/// The iterator of an `NSSet` or an `NSOrderedSet`.
///
/// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
public typealias NSFastEnumerationIterator = NSEnumerator.Iterator

/// The keys of a program's properties in its bundle.
///
/// CoreFoundation has them on Apple's systems, as texts of its own, and not on Linux up to Swift 6.3.
@_disfavoredOverload public let kCFBundleIdentifierKey = "CFBundleIdentifier"
/// The key of the program's name.
@_disfavoredOverload public let kCFBundleNameKey = "CFBundleName"
/// The key of the build's number.
@_disfavoredOverload public let kCFBundleVersionKey = "CFBundleVersion"
/// The key of the executable's name.
@_disfavoredOverload public let kCFBundleExecutableKey = "CFBundleExecutable"
