import FirnStore
import FirnLog
import FirnModel
import Foundation

/// Lays a context's changes over what another save made of the same objects, three-way: ours, not Apple's.
///
///     as both read it     name "Ada"    age 36     books a b
///     saved by another    name "Ada"    age 37     books a b c
///     changed here        name "Eva"    age 36     books b
///     the save writes     name "Eva"    age 37     books b c
///
/// A property that both changed, to different values, is an *overlap*, and so is an object that one side changed and
/// the other deleted. What becomes of these is chosen; nothing is decided silently by default. An order that was set
/// here for a relationship stays as it was set.
open class RebaseMergePolicy: NSMergePolicy, @unchecked Sendable {
    /// The rule for a property that both sides changed.
    public enum OverlapRule: Sendable {
        /// The save fails with 133020, and tells which properties of which objects overlap. Nothing is changed.
        case report
        /// The other save's value stays.
        case store
        /// This context's value is written.
        case object
        /// The value that the function gives is written, such as a sum of both differences. Nil is no value. Deletions
        /// are reported.
        case combine(@Sendable (Overlap) -> Any?)
    }

    /// One property that both sides changed. Values are as in `NSMergeConflict`'s snapshots: to-one relationships are
    /// object IDs; nil is no value.
    public struct Overlap {
        /// The object that is being saved.
        public let object: NSManagedObject
        /// The name of the property.
        public let property: String
        /// The value that both sides read.
        public let ancestor: Any?
        /// The value that this context would write.
        public let mine: Any?
        /// The value that the other save wrote.
        public let theirs: Any?
    }

    /// The rule for properties that both sides changed.
    public let rule: OverlapRule

    /// A policy that treats overlaps by a rule.
    public init(overlaps rule: OverlapRule = .report) {
        self.rule = rule
        super.init(merge: rule.mergeType)
    }

    /// Merges what can be merged. With `report`, an overlap leaves all objects as they were.
    open override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        let overlaps = list.map { $0.overlappingSlots() }
        try report(zip(list, overlaps).filter { $0.1.map { !$0.isEmpty } ?? true })
        if rule.mergeType.isWonHere { list.forEach { $0.willWin() } }
        for (conflict, slots) in zip(list, overlaps) { try merge(conflict, slots) }
    }

    private func report(_ overlapping: [(NSMergeConflict, [Int]?)]) throws {
        let reported: [(NSMergeConflict, [Int]?)]
        switch rule {
        case .report: reported = overlapping
        case .combine: reported = overlapping.filter { $0.1 == nil }
        case .store, .object: return
        }
        guard !reported.isEmpty else { return }
        let parts = reported.prefix(5).map { conflict, slots -> String in
            let object = conflict.sourceObject
            let names = slots?.map { object.layout.slots[$0].name }.joined(separator: ", ") ?? "deleted by one side"
            return "\(object.objectID.uriRepresentation()) (\(names))"
        }
        throw CoreDataError.make(
            .managedObjectMerge,
            "could not merge changes: another save changed the same properties to other values: "
                + parts.joined(separator: "; ") + ". Refresh the objects and save again, or choose another rule",
            [NSPersistentStoreSaveConflictsErrorKey: reported.map(\.0)])
    }

    private func merge(_ conflict: NSMergeConflict, _ slots: [Int]?) throws {
        let object = conflict.sourceObject
        guard let slots, let current = conflict.current else {
            return try ConflictResolver.apply(rule.mergeType, to: conflict)
        }
        switch rule {
        case .store: for slot in slots { object.dropChange(slot) }
        case .combine(let function):
            let theirs = object.dictionary(of: current)
            let values = slots.map { slot -> (Int, Any?) in
                let name = object.layout.slots[slot].name
                let overlap = Overlap(
                    object: object, property: name, ancestor: conflict.objectSnapshot?[name].flatMap(Self.present),
                    mine: object.destination(slot)?.objectID ?? object.anyValue(slot),
                    theirs: theirs[name].flatMap(Self.present))
                return (slot, function(overlap))
            }
            object.rebase(onto: current)
            for (slot, value) in values { object.setCombined(value, slot) }
            return
        case .report, .object: break
        }
        object.rebase(onto: current)
    }

    private static func present(_ value: Any) -> Any? { value is NSNull ? nil : value }
}

extension RebaseMergePolicy.OverlapRule {
    /// The policy for objects where the rule leaves a choice between the sides, and for constraint conflicts.
    fileprivate var mergeType: NSMergePolicyType {
        switch self {
        case .report, .combine: .errorMergePolicyType
        case .store: .mergeByPropertyStoreTrumpMergePolicyType
        case .object: .mergeByPropertyObjectTrumpMergePolicyType
        }
    }
}

extension NSMergeConflict {
    /// The slots that both sides changed, to different values; nil where one side deleted the object.
    fileprivate func overlappingSlots() -> [Int]? {
        guard let current, !sourceObject.state.contains(.deleted) else { return nil }
        return sourceObject.changed.slots.filter { slot in
            let info = sourceObject.layout.slots[slot]
            if case .position = info.kind { return false }
            return info.isStored && !info.isDerived
                && info.unit.contains { sourceObject.snapshot?.value($0) != current.value($0) }
                && sourceObject.differsFromSnapshot(slot)
                && sourceObject.storedValue(slot).map { current.holds($0, info) } != true
        }
    }
}

extension NSManagedObject {
    /// The value now as it would be stored; nil where it cannot be.
    fileprivate func storedValue(_ slot: Int) -> PropertyValue? {
        if let destination = destination(slot) { return .reference(destination.key) }
        return try? AttributeCoding.stored(read(slot), layout.slots[slot])
    }

    fileprivate func setCombined(_ value: Any?, _ slot: Int) {
        if let id = value as? NSManagedObjectID, layout.slots[slot].isToOne, let context {
            setAnyValue(context.object(with: id), slot)
        } else {
            setAnyValue(value, slot)
        }
    }
}
