import Foundation
import class FirnFoundation.NSPredicate

extension NSManagedObjectModel {
    /// The named fetch requests, as they are; change a copy.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        templates
    }

    /// The fetch request filed under `name`, as it is; change a copy.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<
        any NSFetchRequestResult
    >? {
        templates[name]
    }

    /// A copy of a named fetch request, with variables of its predicate replaced by values.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let copy = templates[name]?.copy() as? NSFetchRequest<any NSFetchRequestResult> else {
            return nil
        }
        copy.predicate = copy.predicate?.withSubstitutionVariables(variables)
        return copy
    }

    /// Files a fetch request under a name; nil removes it.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        templates[name] = fetchRequestTemplate
    }
}
