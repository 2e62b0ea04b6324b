import FirnFoundation

extension NSManagedObject: KeyPathNaming {
    package static func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String? {
        AccessorTables.name(of: keyPath) ?? GeneratedKeyNames.name(of: keyPath)
    }
}
