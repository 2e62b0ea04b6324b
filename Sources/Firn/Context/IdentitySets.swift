import FirnModel
import FirnRuntime

/// The sets of IDs that the notification of a save will tell of. Those of many objects are made by another thread while
/// the save is written, which takes longer.
struct IdentitySets {
    private var begun: [(objects: [NSManagedObject], ids: MadeAhead<Set<NSManagedObjectID>>)] = []

    /// Fewer are made sooner than a thread is awake.
    private static let countMin = 8192

    /// To be called when the objects have their permanent keys.
    mutating func begin(_ objects: [NSManagedObject]) {
        guard objects.count >= Self.countMin else { return }
        // The other thread does not keep the objects: they shall not end there.
        let references = Transferred(objects.withReferences { Array($0) })
        begun.append(
            (objects, MadeAhead { references.value.withUnsafeBufferPointer { Set<NSManagedObjectID>(of: $0) } }))
    }

    /// Large sets are kept for the next one who asks.
    mutating func set(of objects: [NSManagedObject]) -> Set<NSManagedObjectID> {
        if objects.count < Self.countMin { return objects.withReferences { Set(of: $0) } }
        if let (_, ids) = begun.first(where: { $0.objects.isSame(as: objects) }) { return ids.value() }
        begin(objects)
        return begun[begun.count - 1].ids.value()
    }

    /// Waits for the sets that are being made, since the objects they are made from may go now.
    mutating func discard() {
        if begun.isEmpty { return }
        for (_, ids) in begun { ids.cancel() }
        begun.removeAll()
    }
}

extension Set<NSManagedObjectID> {
    /// The IDs of objects, which are made where nobody has asked for them yet. May be called on any thread.
    init(of objects: UnsafeBufferPointer<UncountedReference<NSManagedObject>>) {
        objects.makeIdentities()
        self.init(sizedFor: objects.count) { objects[$0].with { $0.uncountedIdentity } }
    }
}
