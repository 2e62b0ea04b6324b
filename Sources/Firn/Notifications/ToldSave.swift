import FirnModel
import FirnRuntime

/// The objects of a large save, for the contexts that merge its notification: in the order of the save, where the
/// notification has a set of them, with the set of their IDs, which a context posts in turn.
///
/// It comes with the notification's query generation, and keeps no object alive. A notification whose set was changed,
/// or made by somebody else, is merged by what its set says.
final class ToldSave: @unchecked Sendable {
    /// Immutable, but for the reference that goes with what it refers to.
    private struct Part {
        let mark: SetMark
        /// Alive as long as the marked set is.
        let objects: [UncountedReference<NSManagedObject>]
        let ids: Set<NSManagedObjectID>
    }

    private let parts: [Part]

    /// Fewer are walked through sooner than written down.
    static let countMin = 8192

    init(_ lists: [(objects: [NSManagedObject], set: Set<NSManagedObject>, ids: Set<NSManagedObjectID>)]) {
        parts = lists.map { list in
            Part(mark: SetMark(list.set), objects: list.objects.withReferences { Array($0) }, ids: list.ids)
        }
    }

    /// The members of a set in the order of the save, and their IDs, if it is one that the save told of.
    func known(
        _ set: Set<NSManagedObject>
    ) -> (objects: [UncountedReference<NSManagedObject>], ids: Set<NSManagedObjectID>)? {
        parts.first { $0.mark.isOf(set) }.map { ($0.objects, $0.ids) }
    }
}

/// Tells whether a set is the very one that was marked, with the members that it had, in O(1).
///
/// Two copies share their memory until one of them is changed. A set that shares it with no other is changed where it
/// is: an insertion changes its count, and a removal its indices, which are of no use from then on.
struct SetMark {
    private weak var memory: AnyObject?
    private let count: Int
    private let end: Set<NSManagedObject>.Index

    init(_ set: Set<NSManagedObject>) {
        memory = Self.memory(of: set)
        (count, end) = (set.count, set.endIndex)
    }

    func isOf(_ set: Set<NSManagedObject>) -> Bool {
        // To compare an index that is of no use with another one would be a mistake.
        func bytes(_ index: Set<NSManagedObject>.Index) -> [UInt8] { withUnsafeBytes(of: index) { Array($0) } }
        return memory === Self.memory(of: set) && count == set.count && bytes(end) == bytes(set.endIndex)
    }

    /// A set is one reference to its memory.
    private static func memory(of set: Set<NSManagedObject>) -> AnyObject { unsafeBitCast(set, to: AnyObject.self) }
}
