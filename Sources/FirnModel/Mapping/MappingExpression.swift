package import class FirnFoundation.NSExpression
package import class FirnFoundation.NSFetchRequestExpression

/// The expressions of mappings, as Xcode's compiler and Core Data's inference make them.
package enum MappingExpression {
    /// The manager's method that makes the fetch request of an entity mapping.
    package static let fetchMethod = "fetchRequestForSourceEntityNamed:predicateString:"
    /// The predicate of a mapping of all objects of its source entity.
    private static let all = "TRUEPREDICATE"
    private static let source = "$source"
    private static let manager = NSExpression(forVariable: "manager")

    /// `$source.path`. A path that begins at a variable, as in `$source.path`, is that path; `$source` alone is the
    /// source object.
    static func value(_ path: String) -> NSExpression {
        if path.hasPrefix("$") {
            let name = path.dropFirst().prefix { $0 != "." }
            let isAlone = path.dropFirst(name.count + 1).allSatisfy { $0 == "." }
            return isAlone ? NSExpression(forVariable: String(name)) : NSExpression(forKeyPath: path)
        }
        return NSExpression(forKeyPath: "\(source).\(path)")
    }

    /// The destination objects of the source objects at a key path: those that one entity mapping made, or for nil
    /// those that any mapping made of the related objects.
    static func related(_ path: String, by mapping: String? = nil) -> NSExpression {
        let keys = path.hasPrefix(source + ".") ? String(path.dropFirst(source.count + 1)) : path
        return NSExpression(
            forFunction: manager,
            selectorName: mapping == nil
                ? "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
                : "destinationInstancesForEntityMappingNamed:sourceInstances:",
            arguments: [NSExpression(forConstantValue: mapping ?? keys), value(path)])
    }

    /// The source objects of an entity that fulfil a predicate; all of them for nil. Objects of subentities have
    /// mappings of their own.
    package static func sources(_ entityName: String, _ predicate: String? = nil) -> NSExpression {
        let request = NSExpression(
            forFunction: manager, selectorName: fetchMethod,
            arguments: [
                NSExpression(forConstantValue: entityName), NSExpression(forConstantValue: predicate ?? all),
            ])
        return NSFetchRequestExpression.expression(
            forFetch: request, context: NSExpression(forKeyPath: "$manager.sourceContext"), countOnly: false)
    }
}
