public import FirnFoundation
import FirnRuntime

extension NSManagedObject: KeyPathNaming {
    package static func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String? {
        guard let steps = KeyPathStep.all(of: keyPath) else { return nil }
        let names = steps.compactMap { step in
            AccessorTables.name(of: step) ?? GeneratedKeyNames.name(of: step)
                ?? (step.identity == objectIDIdentity ? "objectID" : nil)
        }
        return names.count == steps.count ? names.joined(separator: ".") : nil
    }

    private static let objectIDIdentity = KeyPathStep.identity(ofOnlyStep: \NSManagedObject.objectID)
}

extension KeyValueCoding where Self: NSManagedObject {
    /// Says that the property of a key path is about to change.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        willChangeValue(forKey: NSExpression(forKeyPath: keyPath).keyPath)
    }

    /// Ends what `willChangeValue(for:)` began.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        didChangeValue(forKey: NSExpression(forKeyPath: keyPath).keyPath)
    }
}
