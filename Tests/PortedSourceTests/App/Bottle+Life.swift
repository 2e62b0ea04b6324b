import CoreData

extension Bottle {
    @objc override public func awakeFromInsert() {
        super.awakeFromInsert()
        year = Int64(#line)
    }
}

final class CellarContainer: NSPersistentContainer {
    override init(name: String, managedObjectModel model: NSManagedObjectModel) {
        super.init(name: name, managedObjectModel: model)
    }
}
