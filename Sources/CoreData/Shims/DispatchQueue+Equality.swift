public import Dispatch

/// Queues are compared on Apple's systems, where they are objects of Objective-C, and not on Linux up to Swift 6.3.
@_disfavoredOverload
public func == (first: DispatchQueue, second: DispatchQueue) -> Bool { first === second }

/// Returns whether the queues are two.
@_disfavoredOverload
public func != (first: DispatchQueue, second: DispatchQueue) -> Bool { first !== second }
