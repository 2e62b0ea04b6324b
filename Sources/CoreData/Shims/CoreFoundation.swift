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
