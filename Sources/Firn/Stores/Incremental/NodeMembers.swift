import FirnLog
import Synchronization

/// The members of to-many relationships that the nodes of an incremental store tell. The store is asked for those of
/// relationships that its nodes leave out. Thread-safe.
final class NodeMembers: Sendable {
    private enum Entry {
        /// By the relationship's slot.
        case told([Int: [ObjectKey]])
        /// The object was saved as a new one here, and its node was not read since.
        case unread
    }

    /// As many owners as one generation of the row cache has rows.
    private static let countMax = 100_000

    private let entries = Mutex<[ObjectKey: Entry]>([:])

    /// Notes what a node tells. False if there are too many, so that all were forgotten.
    func set(_ lists: [Int: [ObjectKey]], of owner: ObjectKey) -> Bool {
        entries.withLock { entries in
            if lists.isEmpty {
                entries[owner] = nil
                return true
            }
            guard entries.count < Self.countMax else {
                entries.removeAll()
                return false
            }
            entries[owner] = .told(lists)
            return true
        }
    }

    /// Nil if the node did not tell them.
    func list(of owner: ObjectKey, slot: Int) -> [ObjectKey]? {
        entries.withLock { entries in
            guard case .told(let lists)? = entries[owner] else { return nil }
            return lists[slot]
        }
    }

    /// Whether the node has to be read before it is known what it tells.
    func isUnread(_ owner: ObjectKey) -> Bool {
        entries.withLock { entries in
            if case .unread? = entries[owner] { true } else { false }
        }
    }

    func setUnread(_ owner: ObjectKey) { entries.withLock { $0[owner] = .unread } }

    func remove(_ owner: ObjectKey) { entries.withLock { $0[owner] = nil } }

    /// A save changed the members of a relationship, if its node told them.
    func change(of owner: ObjectKey, slot: Int, _ body: ([ObjectKey]) -> [ObjectKey]) {
        entries.withLock { entries in
            guard case .told(var lists)? = entries[owner], let list = lists[slot] else { return }
            lists[slot] = body(list)
            entries[owner] = .told(lists)
        }
    }
}
