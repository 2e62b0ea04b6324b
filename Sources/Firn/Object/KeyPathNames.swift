import FirnFoundation
import Foundation

/// The names of a module's `@NSManaged` properties by their key paths, which Swift does not keep: the plugin
/// `ManagedClasses` writes one subclass, `ManagedKeyPathNames`, into each target.
open class KeyPathNames {
    open class var table: [AnyKeyPath: String] { [:] }
}

extension NSManagedObject: KeyPathNaming {
    /// The tables of all modules in one. It is made once and never changed.
    private final class Names: @unchecked Sendable {
        let table: [AnyKeyPath: String]

        init() {
            let tables = ObjectClassFinder.anyClasses(named: "ManagedKeyPathNames")
                .compactMap { ($0 as? KeyPathNames.Type)?.table }
            table = tables.reduce(into: [:]) { all, table in all.merge(table) { first, _ in first } }
        }
    }

    private static let names = Names()

    package static func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String? { names.table[keyPath] }
}
