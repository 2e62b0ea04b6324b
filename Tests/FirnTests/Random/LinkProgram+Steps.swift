import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport

/// The steps of each kind of program.
extension LinkProgram {
    func step() throws {
        switch kind {
        case .tree: try treeStep()
        case .merging: try mergeStep(contexts[number(0...1)])
        case .following: try followStep()
        case .batches:
            // What a batch changed of other objects was not told: it would be a conflict.
            contexts[1].performAndWait { contexts[1].refreshAllObjects() }
            try mergeStep(contexts[1])
            try batchStep()
        case .undoing: try undoStep()
        }
        if chance(8) { held = [] }
    }

    /// The properties that a new context reads from the store.
    private func stored() throws -> Shown {
        let reader = coordinator.context()
        reader.name = "a new context"
        return try shown(reader)
    }

    /// Reads some of what a context has: of the rest it has faults, and lists that it never read.
    private func look(_ context: NSManagedObjectContext) throws {
        if chance(2) { return _ = try shown(context) }
        try context.performAndWait {
            for object in try self.objects(context) where self.chance(2) {
                self.held.append(object)
                for key in object.entity.relationshipsByName.keys.sorted() where self.chance(3) {
                    self.held += object.related(key)
                }
            }
        }
    }

    private func save(_ context: NSManagedObjectContext) throws -> Notification {
        note(context, "save")
        let notification = try context.performAndWait { try context.saveNotification() }
        guard let notification else { throw failure("a save was not told") }
        if context.performAndWait({ context.hasChanges }) { throw failure("changes after a save") }
        return notification
    }

    private func treeStep() throws {
        for context in contexts.dropFirst() { context.performAndWait { context.refreshAllObjects() } }
        guard let context = pick(contexts) else { return }
        let before = try shown(context)
        try edit(context)
        let edited = try shown(context)
        if edited != before, context.undoManager?.canUndo == true, chance(3) {
            note(context, "undo and redo")
            context.performAndWait { context.undo() }
            try expect(context, before, "after an undo")
            context.performAndWait { context.redo() }
            try expect(context, edited, "after a redo")
        }
        if context === contexts.last, chance(6) {
            note(context, "rollback")
            context.performAndWait { context.rollback() }
            return try expect(context, try context.parent.map(shown) ?? stored(), "after a rollback")
        }
        if chance(2) { return }
        _ = try save(context)
        try expect(context, edited, "after its save")
        if let parent = context.parent { try expect(parent, edited, "after a child's save") }
        if context.parent == nil, try stored() != edited { throw failure("the store has not what was saved") }
    }

    /// One root saves, and all others merge it.
    private func mergeStep(_ saver: NSManagedObjectContext) throws {
        let others = contexts.filter { $0 !== saver }
        for context in contexts { try look(context) }
        try edit(saver)
        let notification = try save(saver)
        for context in others {
            context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
        }
        try expectAll("after a merge")
    }

    private func expectAll(_ when: String) throws {
        let stored = try stored()
        for context in contexts {
            if context.performAndWait({ context.hasChanges }) { throw failure("\(context.name ?? "?") has changes") }
            try expect(context, stored, when)
        }
    }

    /// A batch deletes some objects, and contexts hear their IDs.
    private func batchStep() throws {
        for context in contexts where chance(2) { try look(context) }
        let context = coordinator.context()
        let gone = try context.performAndWait {
            try ["Node", "Group"].flatMap { entity -> [NSManagedObjectID] in
                let doomed = try context.all(entity).filter { _ in self.chance(5) }
                if doomed.isEmpty { return [] }
                self.note(context, "batch delete \(doomed.map { $0.text("name") ?? "" })")
                let request = NSBatchDeleteRequest(objectIDs: doomed.map(\.objectID))
                request.resultType = .resultTypeObjectIDs
                let result = try context.execute(request) as? NSBatchDeleteResult
                return result?.result as? [NSManagedObjectID] ?? []
            }
        }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: gone], into: contexts)
        try expectAll("after a batch")
    }

    /// Some context saves up to the store; those that follow have it then.
    private func followStep() throws {
        for context in contexts where chance(2) { try look(context) }
        guard let saver = pick(contexts) else { return }
        try edit(saver)
        var next: NSManagedObjectContext? = saver
        while let context = next {
            _ = try save(context)
            for one in contexts { one.drain() }
            next = context.parent
        }
        if saver !== contexts[1] { contexts[1].performAndWait { contexts[1].refreshAllObjects() } }
        try expectAll("after a save that it follows")
    }

    /// Undoes, redoes or edits. Another save may have changed since what is undone: only both sides have to agree.
    private func undoStep() throws {
        let (context, other) = (contexts[0], contexts[1])
        switch number(0...9) {
        case 0...3: try edit(context)
        case 4...5:
            other.performAndWait { other.refreshAllObjects() }
            try edit(other)
            let notification = try save(other)
            context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
        case 6...7:
            note(context, "undo")
            context.performAndWait { context.undo() }
        case 8:
            note(context, "redo")
            context.performAndWait { if context.undoManager?.canRedo == true { context.redo() } }
        default:
            let before = try shown(context)
            _ = try save(context)
            try expect(context, before, "after its save")
            if try stored() != before { throw failure("the store has not what was saved") }
        }
        _ = try shown(context)
    }
}
