#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.UndoManager
import Foundation

/// A model that was inserted and deleted without a save between, with its managed object.
struct DiscardedModel {
    let model: any PersistentModel
    let object: ModelObject
}

extension ModelContext {
    /// Runs a block and saves.
    ///
    /// If the block or the save throws, what the block changed is dropped. What was unsaved before the block is unsaved
    /// again, unless the block saved: then the context is rolled back to that save.
    /// https://developer.apple.com/documentation/swiftdata/modelcontext/transaction(block:)
    public final func transaction(block: () throws -> Void) throws {
        let recording = BlockRecording(self)
        do {
            try block()
            try save()
            recording.end()
        } catch {
            recording.undo()
            throw error
        }
    }
}

/// Records what a block changes, so that it can be undone.
private struct BlockRecording {
    private let context: ModelContext
    private let saveCount: Int
    private let insertedBefore: Set<ObjectIdentifier>
    private let userManager: UndoManager?
    private let recorder = UndoManager()
    private let discardedBefore: [DiscardedModel]?

    init(_ context: ModelContext) {
        self.context = context
        saveCount = context.saveCount
        context.managed.processPendingChanges()
        insertedBefore = Set(context.managed.insertedObjects.map { ObjectIdentifier($0) })
        userManager = context.managed.undoManager
        discardedBefore = context.discardedInBlock
        context.discardedInBlock = []
        recorder.groupsByEvent = false
        recorder.beginUndoGrouping()
        context.managed.undoManager = recorder
    }

    func end() {
        context.managed.undoManager = userManager
        context.discardedInBlock = discardedBefore
    }

    func undo() {
        let managed = context.managed
        guard context.saveCount == saveCount else {
            end()
            return context.rollback()
        }
        managed.processPendingChanges()
        let new = managed.insertedObjects.compactMap { $0 as? ModelObject }
            .filter { !insertedBefore.contains(ObjectIdentifier($0)) }.compactMap(\.model)
        for model in new { model.storage.captureValues() }
        let changed = ObservedValues(managed.updatedObjects.lazy.compactMap { $0 as? ModelObject })
        recorder.endUndoGrouping()
        recorder.undo()
        managed.processPendingChanges()
        for model in new { model.storage.detach(isDeleted: false) }
        for discarded in context.discardedInBlock ?? [] where discarded.object.managedObjectContext === managed {
            discarded.model.storage.reattach(discarded.object, in: context)
        }
        context.discardTemporaryIdentifiers()
        changed.notifyOfChanges()
        end()
    }
}
#endif
