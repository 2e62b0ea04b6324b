import FirnModel
import FirnStore
import Foundation

/// The user info of a change's notifications.
extension ObjectChange {
    /// The lists by their numbers in `UserInfoPattern`.
    private func list(_ number: Int) -> [NSManagedObject] {
        switch number {
        case 0: inserted
        case 1: updated
        case 2: deleted
        case 3: refreshed
        default: invalidated
        }
    }

    /// A bit for each list that has objects.
    private var parts: Int {
        (inserted.isEmpty ? 0 : 1) | (updated.isEmpty ? 0 : 2) | (deleted.isEmpty ? 0 : 4)
            | (refreshed.isEmpty ? 0 : 8) | (invalidated.isEmpty ? 0 : 16)
    }

    /// Sets of objects under Core Data's keys; a key without objects is absent. Sets that `told` has are taken from it,
    /// and what is new is left there. With the state of the stores, if there is one.
    func userInfo(_ told: inout ToldObjects, _ generation: NSQueryGenerationToken? = nil) -> [AnyHashable: Any] {
        let pattern = UserInfoPattern.objects(generation == nil ? parts : parts | 1 << UserInfoPattern.generation)
        return pattern.filled { number in
            if number == UserInfoPattern.generation, let generation { return generation }
            return told.set(of: list(number))
        }
    }

    /// The objects of a large save, which merging needs besides the sets; nil for a small one.
    func told(_ told: inout ToldObjects, _ made: inout IdentitySets) -> ToldSave? {
        let lists = [inserted, updated, deleted].filter { $0.count >= ToldSave.countMin }
        if lists.isEmpty { return nil }
        return ToldSave(lists.map { ($0, told.set(of: $0), made.set(of: $0)) })
    }

    /// Sets of object IDs under Core Data's keys; a key without objects is absent. Those that `made` has are its own.
    func idUserInfo(_ made: inout IdentitySets) -> [AnyHashable: Any] {
        UserInfoPattern.ids(parts).filled { made.set(of: list($0)) }
    }
}
