import Firn
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation

/// Refreshes of single objects.
extension TreeProgram {
    /// Refreshes an object that shows all that its source has: its changes stay, or are dropped.
    func refreshOne(_ branch: Branch) throws {
        try refresh(branch)
        let overlay = branch.overlay
        guard let number = pick(Set(overlay.view.keys).union(overlay.deleted).sorted()) else { return }
        // An object of which nothing but the value is changed, or which led nowhere when it was deleted: it is not said
        // what becomes of the other ends.
        let drops = chance(2) && overlay.canDropChanges(of: number)
        if !drops, overlay.deleted.contains(number) { return }
        note("\(branch.name): refresh \(number)" + (drops ? ", dropping its changes" : ""))
        try run(branch) {
            let object = try self.object(number, branch)
            branch.context.refresh(object, mergeChanges: !drops)
            if drops, object.hasChanges || object.isDeleted {
                throw self.failure("\(branch.name): \(number) has changes after a refresh")
            }
        }
        branch.overlay.refresh(number, dropsChanges: drops)
        if drops { discardSteps(branch) }
    }

    /// Refreshes an object in a context that is behind its source: it alone is as the source has it.
    func refreshStale(_ branch: Branch) throws {
        if let parent = branch.parent { try refresh(parent) }
        let (source, base) = (source(of: branch), branch.overlay.base)
        let stale = source.keys.filter { base[$0] != nil && base[$0] != source[$0] && ids[$0]?.isEmpty == false }
        guard let number = pick(stale.filter { !branch.overlay.deleted.contains($0) }.sorted()) else { return }
        let byFetch = chance(3)
        let drops = !byFetch && chance(3) && branch.overlay.canDropChanges(of: number)
        note("\(branch.name): \(byFetch ? "fetch" : "refresh") \(number), which is stale" + (drops ? ", dropping" : ""))
        willMerge(branch)
        var overlay = branch.overlay
        if drops { overlay.refresh(number, dropsChanges: true) }
        branch.overlay = overlay
        overlay.refresh(source)
        let expected = overlay.view[number]
        let seen = try run(branch) {
            let object = try self.object(number, branch)
            // A fetch leaves changed objects as they are.
            if byFetch, !object.hasChanges {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
                request.predicate = NSPredicate(format: "SELF == %@", object)
                request.shouldRefreshRefetchedObjects = true
                _ = try branch.context.fetch(request)
            } else {
                branch.context.refresh(object, mergeChanges: !drops)
            }
            let other = object.value(forKey: PlainLink.other.rawValue) as? NSManagedObject
            return (self.values.value(of: object), other?.number)
        }
        if drops { discardSteps(branch) }
        if seen != (expected?.value, expected?.links[.other]) {
            throw failure("\(branch.name): \(number) shows \(seen), expected \(String(describing: expected))")
        }
    }

    /// Begins to merge what the source of a context saves, or ends that.
    func follow(_ branch: Branch) {
        let follows = !branch.context.automaticallyMergesChangesFromParent
        note("\(branch.name): \(follows ? "begins" : "ends") to follow")
        branch.context.performAndWait { branch.context.automaticallyMergesChangesFromParent = follows }
    }
}
