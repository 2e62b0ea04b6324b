import Foundation

extension UndoManager {
    var undoGroup: UndoGroup? { openGroup?.outermost ?? undoStack.last }

    /// The group that labels are put on: the one being recorded, or the last one.
    var labelledGroup: UndoGroup? {
        if let openGroup { return openGroup.outermost }
        return state == .undoing ? redoStack.last : undoStack.last
    }

    /// Says that losing the group does no harm, for example a change of what is shown.
    public func setActionIsDiscardable(_ discardable: Bool) {
        labelledGroup?.isDiscardable = discardable
    }

    /// Whether what `undo()` undoes is discardable.
    public var undoActionIsDiscardable: Bool { canUndo && undoGroup?.isDiscardable == true }

    /// Whether what `redo()` performs is discardable.
    public var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable == true }

    /// Sets a value of the caller's on the group that is being recorded, else on the last one.
    public func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
        labelledGroup?.userInfo[key] = info
    }

    /// A value that was set on what `undo()` undoes.
    public func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
        undoGroup?.userInfo[key]
    }

    /// A value that was set on what `redo()` performs.
    public func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
        redoStack.last?.userInfo[key]
    }

    /// The title of a menu's undo command: "Undo", and the action's name.
    public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of a menu's redo command: "Redo", and the action's name.
    public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title for an action of this name.
    public func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo " + actionName
    }

    /// The title for an action of this name.
    public func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo " + actionName
    }
}
