package import FirnLog
import Synchronization

/// The members of to-many relationships that the nodes of an incremental store have. The store is asked for those of
/// relationships that its nodes leave out. Thread-safe.
package final class NodeMembers: Sendable {
    private enum Entry {
        /// By the relationship's slot.
        case lists([Int: [ObjectKey]])
        /// The object was saved as a new one here, and its node was not read since.
        case unread
    }

    /// As many owners as one generation of the row cache has rows.
    private static let countMax = 100_000

    private let entries = Mutex<[ObjectKey: Entry]>([:])

    package init() {}

    /// Stores what a node has. False if there are too many, so that all were removed.
    package func set(_ lists: [Int: [ObjectKey]], of owner: ObjectKey) -> Bool {
        entries.withLock { entries in
            if lists.isEmpty {
                entries[owner] = nil
                return true
            }
            guard entries.count < Self.countMax else {
                entries.removeAll()
                return false
            }
            entries[owner] = .lists(lists)
            return true
        }
    }

    /// Nil if the node does not have them.
    package func list(of owner: ObjectKey, slot: Int) -> [ObjectKey]? {
        entries.withLock { entries in
            guard case .lists(let lists)? = entries[owner] else { return nil }
            return lists[slot]
        }
    }

    /// Whether the node has to be read before it is known what it has.
    package func isUnread(_ owner: ObjectKey) -> Bool {
        entries.withLock { entries in
            if case .unread? = entries[owner] { true } else { false }
        }
    }

    package func setUnread(_ owner: ObjectKey) { entries.withLock { $0[owner] = .unread } }

    package func remove(_ owner: ObjectKey) { entries.withLock { $0[owner] = nil } }

    /// A save changed the members of a relationship, if its node has them.
    package func change(of owner: ObjectKey, slot: Int, _ body: ([ObjectKey]) -> [ObjectKey]) {
        entries.withLock { entries in
            guard case .lists(var lists)? = entries[owner], let list = lists[slot] else { return }
            lists[slot] = body(list)
            entries[owner] = .lists(lists)
        }
    }
}
