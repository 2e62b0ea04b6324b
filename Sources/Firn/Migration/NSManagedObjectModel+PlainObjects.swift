import FirnModel

extension NSManagedObjectModel {
    /// A copy whose objects are plain `NSManagedObject`s, whatever classes it names: a migration meets versions of a
    /// model that the program's classes were not written for.
    func withPlainObjects() -> NSManagedObjectModel {
        guard let model = copy() as? NSManagedObjectModel else { fatalError("a model copies to a model") }
        for entity in model.entities { entity.knownObjectClass = NSManagedObject.self }
        return model
    }
}
