#if SwiftData
public import FirnModel

extension NSManagedObjectModel {
    /// Core Data's model of a schema, with the entities of another added. Nil if both have an entity of one name, or if
    /// a container could not be made of the schema.
    public static func makeManagedObjectModel(
        for schema: Schema, mergedWith managedObjectModel: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        guard SchemaCheck(schema: schema).problems.isEmpty else { return nil }
        let made = ManagedModelMaking(schema: schema, className: "NSManagedObject").model()
        guard let managedObjectModel else { return made }
        let names = Set(made.entities.map(\.name))
        guard !managedObjectModel.entities.contains(where: { names.contains($0.name) }) else { return nil }
        return NSManagedObjectModel(byMerging: [made, managedObjectModel])
    }

    /// Core Data's model of these models and of those that they are related to.
    public static func makeManagedObjectModel(
        for entityTypes: [any PersistentModel.Type], mergedWith managedObjectModel: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        makeManagedObjectModel(for: Schema(entityTypes), mergedWith: managedObjectModel)
    }

    /// Core Data's model of these models and of those that they are related to.
    public static func makeManagedObjectModel(
        for entityTypes: any PersistentModel.Type..., mergedWith managedObjectModel: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        makeManagedObjectModel(for: Schema(entityTypes), mergedWith: managedObjectModel)
    }

    /// Core Data's model of a schema.
    public func makeManagedObjectModel(
        for schema: Schema, mergedWith managedObjectModel: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        Self.makeManagedObjectModel(for: schema, mergedWith: managedObjectModel)
    }
}
#endif
