import FirnModel
import FirnRuntime
import FirnStore
import Foundation

/// The user info of a change's notifications.
extension ObjectChange {
    /// Sets of objects under Core Data's keys; a key without objects is absent. With the state of the stores, if there
    /// is one, and with their history's token, if that is tracked: Apple's key has no name, applications use its text.
    func userInfo(
        _ sets: inout NotifiedSets, _ generation: NSQueryGenerationToken? = nil, isTracked: Bool = false
    ) -> [AnyHashable: Any] {
        var userInfo = [AnyHashable: Any](minimumCapacity: 3)
        if !inserted.isEmpty { userInfo[NSInsertedObjectsKey] = sets.set(of: inserted) }
        if !updated.isEmpty { userInfo[NSUpdatedObjectsKey] = sets.set(of: updated) }
        if !deleted.isEmpty { userInfo[NSDeletedObjectsKey] = sets.set(of: deleted) }
        if !refreshed.isEmpty { userInfo[NSRefreshedObjectsKey] = Set(sizedFor: refreshed) }
        if !invalidated.isEmpty { userInfo[NSInvalidatedObjectsKey] = Set(sizedFor: invalidated) }
        if let generation { userInfo[NSManagedObjectContextQueryGenerationKey] = generation }
        if isTracked, let generation { userInfo["newChangeToken"] = generation.token }
        return userInfo
    }

    /// Sets of object IDs under Core Data's keys; a key without objects is absent.
    func idUserInfo() -> [AnyHashable: Any] {
        var userInfo = [AnyHashable: Any](minimumCapacity: 3)
        if !inserted.isEmpty { userInfo[NSInsertedObjectIDsKey] = Set(of: inserted) }
        if !updated.isEmpty { userInfo[NSUpdatedObjectIDsKey] = Set(of: updated) }
        if !deleted.isEmpty { userInfo[NSDeletedObjectIDsKey] = Set(of: deleted) }
        if !refreshed.isEmpty { userInfo[NSRefreshedObjectIDsKey] = Set(of: refreshed) }
        if !invalidated.isEmpty { userInfo[NSInvalidatedObjectIDsKey] = Set(of: invalidated) }
        return userInfo
    }
}

extension Set<NSManagedObjectID> {
    /// The IDs of objects, which are made where nobody has asked for them yet.
    fileprivate init(of objects: [NSManagedObject]) {
        self = objects.withReferences { objects in
            objects.makeIdentities()
            return Self(sizedFor: objects.count) { objects[$0].with { $0.uncountedIdentity } }
        }
    }
}
