#if SwiftData
import Foundation
import FirnRuntime

/// The time that autosaves go by: handed in by tests.
struct AutosaveClock {
    var now: () -> ContinuousClock.Instant = { .now }
    /// Runs a block where the owner works, after a delay.
    var schedule: (Duration, ContextOwner, @escaping @Sendable () -> Void) -> Void = { delay, owner, body in
        owner.run(after: delay, body)
    }
}

/// Saves a context by itself, shortly after a change.
///
///     change ─▶ timer ─▶ more changes ─▶ timer fires where the owner works ─▶ one save
///
/// Where nobody said where the context's owner works, the context saves when it is next used after the delay. What is
/// unsaved when the process ends is saved by `ExitSaves`.
final class Autosave {
    var clock = AutosaveClock()
    /// How long after a change the save comes: one pause for all that a user's action changes.
    var delay = Duration.seconds(1)
    var errorHandler: (@Sendable (any Error) -> Void)?
    private let handle: ContextHandle
    private var deadline: ContinuousClock.Instant?

    init(_ handle: ContextHandle) { self.handle = handle }

    private(set) var isOn = false

    func set(isOn: Bool, hasChanges: Bool) {
        self.isOn = isOn
        guard isOn else { return }
        ExitSaves.add(handle)
        if hasChanges { scheduleSave() }
    }

    /// Something changed. What changes within the delay goes into the same save.
    func scheduleSave() {
        guard isOn, deadline == nil else { return }
        deadline = clock.now() + delay
        ExitSaves.recordThread(of: handle)
        // A context that has something to save stays until then, though nobody else has it any more.
        let context = Transferred(handle.context)
        let save = handle.work { $0.saveByItself() }
        clock.schedule(delay, handle.owner) { withExtendedLifetime(context) { save() } }
    }

    /// The context has another owner: a save that was to come comes there.
    func ownerDidChange() {
        if deadline == nil { return }
        deadline = nil
        scheduleSave()
    }

    /// Whether the save is due and no timer brings it.
    var isOverdue: Bool {
        guard isOn, let deadline, !handle.owner.isKnown else { return false }
        return deadline <= clock.now()
    }

    /// The context is gone before it saved: its owner is unknown, and did not use it after the delay.
    func reportUnsaved() {
        errorHandler?(
            SwiftDataError.unsavedChanges.because("the context was released: save before, or set autosaveQueue"))
    }

    /// The context saves now. What changes after that has a deadline of its own.
    func willSave() { deadline = nil }

    /// The context saved. A timer that waits stays the next one's.
    func didSave() { if !handle.owner.isKnown { deadline = nil } }
}

extension ModelContext {
    /// Saves what is unsaved; gives an error to the handler.
    final func saveByItself() {
        autosave.willSave()
        guard autosave.isOn, hasChanges, !isSaving else { return }
        // Half of a transaction is not saved.
        if openBlocks > 0 { return scheduleSave() }
        do {
            try save()
        } catch {
            autosave.errorHandler?(error)
        }
    }
}
#endif
