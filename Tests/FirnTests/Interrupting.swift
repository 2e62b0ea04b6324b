import Firn
import Foundation
import Synchronization

/// Lets a test do something while a value is put into a change set.
final class Interrupting: ValueTransformer {
    static let name = NSValueTransformerName("FirnTests.Interrupting")
    /// Each is called once.
    private static let interruptions = Mutex<[@Sendable () -> Void]>([])

    static func interrupt(_ interruptions: (@Sendable () -> Void)...) {
        Self.interruptions.withLock { $0 = interruptions }
    }

    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
        let next = Self.interruptions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        next?()
        return (value as? String).map { Data($0.utf8) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(decoding: $0, as: UTF8.self) }
    }
}
