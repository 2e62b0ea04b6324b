import FirnFoundation
import FirnRuntime

extension NSManagedObject: KeyPathNaming {
    package static func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String? {
        guard let steps = KeyPathStep.all(of: keyPath) else { return nil }
        let names = steps.compactMap { AccessorTables.name(of: $0) ?? GeneratedKeyNames.name(of: $0) }
        return names.count == steps.count ? names.joined(separator: ".") : nil
    }
}
