import FirnRuntime
import Foundation
import Synchronization

/// The transformers by name; nil for a name that no class has either. Guarded by its own lock.
final class TransformerRegistry: Sendable {
    static let shared = TransformerRegistry()

    /// Transferred: by its contract, a transformer that was registered does not change.
    private let transformers: Mutex<[NSValueTransformerName: Transferred<ValueTransformer>?]>

    init() {
        transformers = Mutex([
            .negateBooleanTransformerName: Transferred(NegateBooleanTransformer()),
            .isNilTransformerName: Transferred(NilTransformer()),
            .isNotNilTransformerName: Transferred(NotNilTransformer()),
            .unarchiveFromDataTransformerName: Transferred(KeyedUnarchiveTransformer()),
            .keyedUnarchiveFromDataTransformerName: Transferred(KeyedUnarchiveTransformer()),
            .secureUnarchiveFromDataTransformerName: Transferred(NSSecureUnarchiveFromDataTransformer()),
        ])
    }

    var names: [NSValueTransformerName] { transformers.withLock { $0.filter { $1 != nil }.map(\.key) } }

    func set(_ transformer: ValueTransformer?, _ name: NSValueTransformerName) {
        let given = transformer.map { Optional(Transferred($0)) }
        transformers.withLock { $0[name] = given }
    }

    func transformer(_ name: NSValueTransformerName) -> ValueTransformer? {
        if let known = transformers.withLock({ $0[name] }) { return known?.value }
        let type = GeneratedClassName.find(name.rawValue, as: ValueTransformer.Type.self)
        let made = (type.flatMap(ObjectClass.makeTransformer) as? ValueTransformer).map(Transferred.init)
        let transformer = transformers.withLock { all in
            // Another thread, or the class itself, may have registered one.
            let transformer = (all[name] ?? nil) ?? made
            all[name] = .some(transformer)
            return transformer
        }
        return transformer?.value
    }
}

/// `NSNegateBoolean`
private final class NegateBooleanTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override func transformedValue(_ value: Any?) -> Any? {
        guard case .number(let number) = PlainValue(value) else { return true }
        return number.doubleValue == 0
    }
}

/// `NSIsNil`
private class NilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { ValueComparison.isNull(value) }
}

/// `NSIsNotNil`
private final class NotNilTransformer: NilTransformer {
    override func transformedValue(_ value: Any?) -> Any? { !ValueComparison.isNull(value) }
}
