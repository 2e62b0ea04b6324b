import FirnFoundation
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
