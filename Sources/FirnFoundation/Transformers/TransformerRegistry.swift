import FirnRuntime
import Foundation
import Synchronization

/// The transformers by name; nil for a name that no class has either. Guarded by its own lock.
final class TransformerRegistry: Sendable {
    static let shared = TransformerRegistry()

    private let transformers: Mutex<[NSValueTransformerName: ValueTransformer?]>

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

    var names: [NSValueTransformerName] { transformers.withLock { $0.filter { $1 != nil }.map(\.key) } }

    func set(_ transformer: ValueTransformer?, _ name: NSValueTransformerName) {
        transformers.withLock { $0[name] = transformer.map(Optional.some) }
    }

    func transformer(_ name: NSValueTransformerName) -> ValueTransformer? {
        if let known = transformers.withLock({ $0[name] }) { return known }
        let type = GeneratedClassName.find(name.rawValue, as: ValueTransformer.Type.self)
        let made = type.flatMap(ObjectClass.makeTransformer) as? ValueTransformer
        return transformers.withLock { all in
            // Another thread, or the class itself, may have registered one.
            let transformer = (all[name] ?? nil) ?? made
            all[name] = .some(transformer)
            return transformer
        }
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
private class NilTransformer: ValueTransformer, @unchecked Sendable {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { ValueComparison.isNull(value) }
}

/// `NSIsNotNil`
private final class NotNilTransformer: NilTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? { !ValueComparison.isNull(value) }
}
