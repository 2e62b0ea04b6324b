public import Foundation

/// Records operations that undo changes, in groups, and performs them.
///
///     idle    ── undo() ──▶ undoing: what is registered becomes the group to redo
///     idle    ── redo() ──▶ redoing: what is registered becomes a group to undo again
///     idle, registerUndo:   goes to the open group; nothing can be redone any more
///
/// Confined to one thread or queue, as Apple's. It differs from Apple's in one thing: a group that is closed without an
/// operation is discarded. Apple's keeps it and offers an undo that does nothing.
///
/// https://developer.apple.com/documentation/foundation/undomanager
open class UndoManager: NSObject {
    enum State {
        case idle
        case undoing
        case redoing
    }

    /// The names of an action's own values.
    public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Whether groups are opened by the first registration of an event and closed at its end. True at first.
    open var groupsByEvent = true

    /// The maximum count of groups; the oldest are discarded. 0, the initial value, means no limit.
    open var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// The run loop modes in which an event's group is closed.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// Calls its argument at the end of the current event. nil is the current thread's run loop.
    ///
    /// An owner on a queue without a run loop sets it. A run loop would close the group on another thread than the
    /// owner's.
    package var atEndOfEvent: ((@escaping () -> Void) -> Void)?

    /// The number of open groups, one in another.
    open internal(set) var groupingLevel = 0

    var undoStack: [UndoGroup] = []
    var redoStack: [UndoGroup] = []
    var openGroup: UndoGroup?
    var state = State.idle
    private var disablingCount = 0

    /// Whether operations that are registered are recorded.
    open var isUndoRegistrationEnabled: Bool { disablingCount == 0 }

    /// Stops recording until `enableUndoRegistration()` was called as often.
    open func disableUndoRegistration() { disablingCount += 1 }

    /// Ends one `disableUndoRegistration()`. Traps if there is none.
    open func enableUndoRegistration() {
        if disablingCount == 0 {
            misuse("enableUndoRegistration() without disableUndoRegistration() before it")
        }
        disablingCount -= 1
    }

    /// Records an operation that undoes a change.
    ///
    /// The target is not retained. Once it is released, the handler is not called. Traps if there is no open group and
    /// groups are not opened by event.
    public func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        openEventGroupIfNeeded()
        guard let openGroup else {
            misuse("open a group with beginUndoGrouping() before registering an undo")
        }
        if state == .idle { redoStack.removeAll() }
        let operation = UndoOperation(target: target) { target in
            if let target = target as? TargetType { handler(target) }
        }
        openGroup.members.append(.operation(operation))
    }

    /// Opens a group inside the open one. The first of an event is inside the event's own group.
    open func beginUndoGrouping() {
        openEventGroupIfNeeded()
        pushGroup()
    }

    /// Closes the innermost open group. Traps if there is none.
    ///
    /// Posts `NSUndoManagerCheckpoint` first: what is registered by its observers still belongs to the group.
    open func endUndoGrouping() { closeGroup() }

    /// Closes the open group if there is one, and undoes the last group. Does nothing if there is none.
    ///
    /// Traps while groups are open inside one another, and must not be called during an undo or redo.
    open func undo() { undoTopGroup() }

    /// Undoes the last group that was closed, at whatever level. Its redo is a group of its own.
    ///
    /// Traps if operations were registered after the group in the one that is open.
    open func undoNestedGroup() { undoLastClosedGroup() }

    /// Performs again what was undone last. Does nothing if a change was registered since, or
    /// nothing was undone.
    ///
    /// Traps must not be called during an undo or redo.
    open func redo() { redoTopGroup() }

    /// Discards all groups, open ones included, and enables recording.
    open func removeAllActions() {
        undoStack.removeAll()
        redoStack.removeAll()
        openGroup = nil
        groupingLevel = 0
        disablingCount = 0
    }

    /// Discards the operations of one object.
    open func removeAllActions(withTarget target: Any) {
        let target = target as AnyObject
        for group in undoStack + redoStack { group.removeOperations(of: target) }
        undoStack.removeAll(where: \.members.isEmpty)
        redoStack.removeAll(where: \.members.isEmpty)
        var group = openGroup
        while let open = group {
            open.removeOperations(of: target)
            group = open.parent
        }
    }

    /// Whether there is something to undo. Open groups may have to be closed first.
    open var canUndo: Bool {
        if !undoStack.isEmpty { return true }
        return openGroup?.outermost.members.isEmpty == false
    }

    /// Whether there is something to redo. Posts `NSUndoManagerCheckpoint` first, for what is still
    /// to be registered.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// The number of groups that can be undone.
    open var undoCount: Int { undoStack.count }

    /// The number of groups that can be redone.
    open var redoCount: Int { redoStack.count }

    /// Whether `undo()` or `undoNestedGroup()` is at work.
    open var isUndoing: Bool { state == .undoing }

    /// Whether `redo()` is at work.
    open var isRedoing: Bool { state == .redoing }

    /// The name of what `undo()` undoes; empty if it has none or there is nothing to undo.
    open var undoActionName: String { canUndo ? undoGroup?.actionName ?? "" : "" }

    /// The name of what `redo()` performs; empty if it has none or there is nothing to redo.
    open var redoActionName: String { redoStack.last?.actionName ?? "" }

    /// Names the group that is being recorded, else the last one.
    open func setActionName(_ actionName: String) { labelledGroup?.actionName = actionName }

    func trim() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
