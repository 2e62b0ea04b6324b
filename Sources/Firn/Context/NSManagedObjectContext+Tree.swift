import FirnRuntime
import Synchronization

/// The place of a context in a tree of parents and children, whose root has the coordinator.
extension NSManagedObjectContext {
    /// The context that saves into stores.
    var root: NSManagedObjectContext { parent?.root ?? self }

    /// Takes the context and those below it from the coordinator's followers. Returns them, this one first.
    func leaveCoordinator() -> [NSManagedObjectContext] {
        let below = childrenWithoutCoordinator.withLock { list in
            defer { list = [] }
            return list.compactMap(\.object)
        }
        let tree = [self] + (coordinator?.contexts ?? below).filter { $0 !== self && $0.root === self }
        for context in tree { coordinator?.removeFollower(context) }
        return tree
    }

    /// Lets the coordinator know of the context, once there is one.
    func joinCoordinator() {
        guard let coordinator = persistentStoreCoordinator else {
            if parent != nil { root.childrenWithoutCoordinator.withLock { $0.append(WeakReference(self)) } }
            return
        }
        coordinator.addContext(self)
        if automaticallyMergesChangesFromParent { coordinator.addFollower(self) }
    }
}
