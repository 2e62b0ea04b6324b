import Foundation

extension UndoManager {
    /// All groups at one time.
    package struct Contents {
        fileprivate var undo: [UndoGroup] = []
        fileprivate var redo: [UndoGroup] = []
        /// The open groups, the innermost first, with what they had.
        fileprivate var open: [(group: UndoGroup, members: [UndoGroup.Member])] = []

        package init() {}
    }

    /// All that can be undone and redone now.
    package var contents: Contents {
        var contents = Contents()
        (contents.undo, contents.redo) = (undoStack, redoStack)
        contents.open = sequence(first: openGroup) { $0?.parent }.compactMap(\.self).map { ($0, $0.members) }
        return contents
    }

    /// Forgets what was registered since.
    package func restore(_ contents: Contents) {
        (undoStack, redoStack) = (contents.undo, contents.redo)
        for (group, members) in contents.open { group.members = members }
        openGroup = contents.open.first?.group
        groupingLevel = contents.open.count
    }
}
