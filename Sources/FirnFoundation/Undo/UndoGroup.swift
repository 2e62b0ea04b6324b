/// One operation that an undo manager holds: what to do, and with which object.
///
/// The object is not kept alive. An operation whose object was released does nothing.
struct UndoOperation {
    weak var target: AnyObject?
    let perform: (AnyObject) -> Void

    func run() {
        if let target { perform(target) }
    }
}

/// Operations that are undone together, and groups among them.
final class UndoGroup {
    enum Member {
        case operation(UndoOperation)
        case group(UndoGroup)
    }

    /// The group that was open when this one was opened.
    let parent: UndoGroup?
    /// Oldest first.
    var members: [Member] = []
    var actionName = ""
    var isDiscardable = false
    var userInfo: [UndoManager.UserInfoKey: Any] = [:]

    init(parent: UndoGroup?) { self.parent = parent }

    /// Copies the labels of another group: a redo has the name of its undo.
    func adoptLabels(of other: UndoGroup) {
        actionName = other.actionName
        isDiscardable = other.isDiscardable
        userInfo = other.userInfo
    }

    /// The group at level 1 of this chain.
    var outermost: UndoGroup {
        var group = self
        while let parent = group.parent { group = parent }
        return group
    }

    /// Performs the operations, newest first.
    func run() {
        for member in members.reversed() {
            switch member {
            case .operation(let operation): operation.run()
            case .group(let group): group.run()
            }
        }
    }

    /// Discards the operations of one object, and groups that become empty.
    func removeOperations(of target: AnyObject) {
        members = members.filter { member in
            switch member {
            case .operation(let operation): return operation.target !== target
            case .group(let group):
                group.removeOperations(of: target)
                return !group.members.isEmpty
            }
        }
    }
}
