import Foundation
import Synchronization

/// The transformers by name. Guarded by its own lock.
final class TransformerRegistry: Sendable {
    static let shared = TransformerRegistry()

    private let transformers: Mutex<[NSValueTransformerName: ValueTransformer]>

    init() {
        transformers = Mutex([
            .negateBooleanTransformerName: NegateBooleanTransformer(),
            .isNilTransformerName: NilTransformer(),
            .isNotNilTransformerName: NotNilTransformer(),
            .unarchiveFromDataTransformerName: KeyedUnarchiveTransformer(),
            .keyedUnarchiveFromDataTransformerName: KeyedUnarchiveTransformer(),
            .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
        ])
    }

    var names: [NSValueTransformerName] { transformers.withLock { Array($0.keys) } }

    func set(_ transformer: ValueTransformer?, _ name: NSValueTransformerName) {
        transformers.withLock { $0[name] = transformer }
    }

    func transformer(_ name: NSValueTransformerName) -> ValueTransformer? {
        transformers.withLock { $0[name] }
    }
}

/// `NSNegateBoolean`
private final class NegateBooleanTransformer: ValueTransformer, @unchecked Sendable {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override func transformedValue(_ value: Any?) -> Any? {
        guard case .number(let number) = PlainValue(value) else { return true }
        return number.doubleValue == 0
    }
}

/// `NSIsNil`
private final class NilTransformer: ValueTransformer, @unchecked Sendable {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { ValueComparison.isNull(value) }
}

/// `NSIsNotNil`
private final class NotNilTransformer: ValueTransformer, @unchecked Sendable {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { !ValueComparison.isNull(value) }
}
