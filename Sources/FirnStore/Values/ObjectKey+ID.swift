package import FirnLog
package import FirnModel

extension ObjectKey {
    /// The key of an object that has a temporary ID: no row has a negative one.
    package init(temporaryNumber: UInt64) { self.init(entity: EntityNumber(0), primaryKey: -Int64(temporaryNumber)) }

    /// The key of the object that has this ID.
    package init(_ id: NSManagedObjectID) {
        self.init(entity: EntityNumber(id.entityNumber), primaryKey: id.primaryKey)
    }
}
