#if SwiftData
import Foundation
import FirnRuntime
import Synchronization

/// Saves a context by itself, shortly after a change.
///
/// Only the main actor's context can be saved from outside of its owner's calls: what runs on the main queue has it to
/// itself. A change starts a timer; those that follow within its time go into the same save.
final class Autosave {
    /// How long after a change the save comes: one pause for all that a user's action changes.
    static let delay: TimeInterval = 1

    /// What other threads may call.
    final class Turn: Sendable {
        private let context = Mutex<WeakReference<ModelContextBox>?>(nil)

        fileprivate func belong(to box: ModelContextBox) { context.withLock { $0 = WeakReference(box) } }

        /// There is something in the inbox: a context of the main actor takes it over at once, others when next used.
        func changesArrived() {
            guard context.withLock({ $0?.object })?.isOnMain == true else { return }
            DispatchQueue.main.async { [weak self] in
                self?.context.withLock { $0?.object }?.context?.mergeArrived()
            }
        }
    }

    /// The context, to blocks of the main queue.
    fileprivate final class ModelContextBox: @unchecked Sendable {
        weak var context: ModelContext?
        let isAutosaving = Mutex(false)

        var isOnMain: Bool { isAutosaving.withLock { $0 } }

        init(_ context: ModelContext) { self.context = context }
    }

    let turn = Turn()
    private let box: ModelContextBox
    private var isScheduled = false
    var errorHandler: (@Sendable (any Error) -> Void)?

    init(_ context: ModelContext) {
        box = ModelContextBox(context)
        turn.belong(to: box)
    }

    var isOn: Bool {
        get { box.isOnMain }
        set {
            box.isAutosaving.withLock { $0 = newValue }
            if newValue, box.context?.hasChanges == true { scheduleSave() }
        }
    }

    func scheduleSave() {
        guard isOn, !isScheduled else { return }
        isScheduled = true
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.delay) { [box] in
            guard let context = box.context else { return }
            context.autosave.saveNow()
        }
    }

    private func saveNow() {
        isScheduled = false
        guard isOn, let context = box.context, context.hasChanges else { return }
        do {
            try context.save()
        } catch {
            errorHandler?(error)
        }
    }
}
#endif
