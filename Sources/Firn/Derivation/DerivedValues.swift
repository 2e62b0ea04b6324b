import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Computes the derived attributes that a save concerns, and makes them part of it: log, tables and rebuilt tables have
/// them as any other value.
///
/// Works under the writer lock, from the rows as they are now with this save's changes laid over them; what the context
/// has read before may be older. O(objects of the save, and members of relationships that are counted or summed).
final class DerivedValues {
    private let plan: DerivationPlan
    private let session: WriteSession
    private let inserted: [NSManagedObject]
    private let updated: [NSManagedObject]
    private let deleted: [NSManagedObject]
    /// This save's objects that have rows already, by key.
    private var changed: [ObjectKey: NSManagedObject] = [:]
    /// Objects that came to an owner through the to-one at a slot.
    private var arrivals: [Place: [NSManagedObject]] = [:]
    private var written: [(object: NSManagedObject, slot: Int)] = []
    /// Objects that are part of the save only for their derived values.
    private(set) var added: [NSManagedObject] = []

    private struct Place: Hashable {
        let owner: ObjectReference
        let inverse: Int
    }

    init(
        _ plan: DerivationPlan, session: WriteSession, inserted: [NSManagedObject], updated: [NSManagedObject],
        deleted: [NSManagedObject]
    ) {
        self.plan = plan
        self.session = session
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        for object in updated + deleted { changed[object.key] = object }
    }

    func compute() throws {
        let known = Set((inserted + updated).map(ObjectReference.init))
        var owners = (inserted + updated).filter {
            !plan.derivations(of: $0).isEmpty
                && ($0.state.contains(.inserted) || !$0.layout.storedChanges($0.changed).isEmpty)
        }
        var seen = Set(owners.map(ObjectReference.init))
        for object in inserted + updated + deleted {
            for dependent in plan.dependents(of: object) where concerns(object, dependent) {
                for owner in try leads(from: object, dependent.inverse)
                where !owner.isDeleted && seen.insert(ObjectReference(owner)).inserted { owners.append(owner) }
            }
        }
        for owner in owners {
            let isKnown = known.contains(ObjectReference(owner))
            if !isKnown {
                guard owner.store === (inserted + updated + deleted).first?.store,
                    let row = try session.snapshot(owner.key)
                else { continue }
                if owner.isFault { owner.realize(row) }
                if owner.snapshot?.version != row.version { owner.rebase(onto: row) }
            }
            var isChanged = false
            for derivation in plan.derivations(of: owner) where try set(derivation, owner) { isChanged = true }
            if isChanged, !isKnown { added.append(owner) }
        }
    }

    /// The save failed: objects are as they were before it.
    func takeBack() {
        for (object, slot) in written { object.dropChange(slot) }
    }

    private func concerns(_ object: NSManagedObject, _ dependent: DerivationPlan.Dependent) -> Bool {
        if object.state.contains(.inserted) || object.state.contains(.deleted) { return true }
        return object.changed.contains(dependent.inverse) || dependent.attribute.map(object.changed.contains) ?? false
    }

    /// The objects that a changed object belongs or belonged to.
    private func leads(from object: NSManagedObject, _ inverse: Int) throws -> [NSManagedObject] {
        guard case .toOne = object.layout.slots[inverse].kind else {
            let members = object.members(inverse)
            return object.memberObjects(inverse) + members.removed.map(\.object)
        }
        var result: [NSManagedObject] = []
        if let now = object.destination(inverse) {
            result.append(now)
            if !object.isDeleted, object.state.contains(.inserted) || object.changed.contains(inverse) {
                let place = Place(owner: ObjectReference(now), inverse: inverse)
                if arrivals[place]?.last !== object { arrivals[place, default: []].append(object) }
            }
        }
        if case .reference(let key) = try session.snapshot(object.key)?.value(inverse), let context = object.context {
            result.append(context.object(for: key, beside: object))
        }
        return result
    }

    /// Gives a derived attribute its value. Says whether it is another one than the store has.
    private func set(_ derivation: Derivation, _ owner: NSManagedObject) throws -> Bool {
        let info = owner.layout.slots[derivation.slot]
        let value = AttributeCoding.slotValue(try value(derivation, owner), info)
        let stored = try AttributeCoding.stored(value, info)
        if let snapshot = owner.snapshot, snapshot.value(derivation.slot) == stored {
            if owner.changed.contains(derivation.slot) { owner.dropChange(derivation.slot) }
            return false
        }
        owner.write(value, derivation.slot)
        owner.changed.insert(derivation.slot)
        written.append((owner, derivation.slot))
        return true
    }

    private func value(_ derivation: Derivation, _ owner: NSManagedObject) throws -> Any? {
        switch derivation.rule {
        case .count(let relationship): return NSNumber(value: try members(owner, relationship).count)
        case .aggregate(let function, let relationship, let attribute):
            return function.value(try members(owner, relationship).compactMap { try $0.value(attribute, session) })
        case .expression(let expression): return expression.expressionValue(with: owner, context: nil)
        }
    }

    /// A member as this save leaves it: an object of the context, or a row that the save does not touch.
    private enum Member {
        case object(NSManagedObject)
        case row(ObjectKey, EntityLayout)

        func value(_ slot: Int, _ session: WriteSession) throws -> Any? {
            switch self {
            case .object(let object): return object.anyValue(slot)
            case .row(let key, let layout):
                guard let stored = try session.snapshot(key)?.value(slot) else { return nil }
                switch stored {
                case .integer(let value): return NSNumber(value: value)
                case .real(let value):
                    return layout.slots[slot].attributeType == .dateAttributeType
                        ? Date(timeIntervalSinceReferenceDate: value) : NSNumber(value: value)
                case .text(let text):
                    return layout.slots[slot].attributeType == .decimalAttributeType
                        ? NSDecimalNumber(string: text) : text
                default: return nil
                }
            }
        }
    }

    private func members(_ owner: NSManagedObject, _ slot: Int) throws -> [Member] {
        let info = owner.layout.slots[slot]
        guard let toMany = info.toMany else { return [] }
        let stored = owner.snapshot == nil ? [] : try session.reader.members(of: owner.key, slot: slot)
        var result: [Member] = []
        var seen: Set<ObjectReference> = []
        var left: Set<ObjectReference> = []
        if toMany.hasLinks, !owner.values.isEmpty, case .toMany(let members) = owner.values[slot] {
            left = Set(members.removed)
        }
        for key in stored {
            guard let object = changed[key] else {
                if let layout = session.schema.entity(key.entity)?.layout,
                    !left.contains(where: { $0.object.key == key })
                {
                    result.append(.row(key, layout))
                }
                continue
            }
            if object.isDeleted || left.contains(ObjectReference(object)) { continue }
            if let inverse = toMany.toOneInverseSlot, object.changed.contains(inverse),
                object.destination(inverse) !== owner
            {
                continue
            }
            seen.insert(ObjectReference(object))
            result.append(.object(object))
        }
        for object in arrived(owner, slot, toMany)
        where !object.isDeleted && seen.insert(ObjectReference(object)).inserted { result.append(.object(object)) }
        return result
    }

    private func arrived(_ owner: NSManagedObject, _ slot: Int, _ toMany: Slot.ToMany) -> [NSManagedObject] {
        if let inverse = toMany.toOneInverseSlot {
            return arrivals[Place(owner: ObjectReference(owner), inverse: inverse)] ?? []
        }
        guard !owner.values.isEmpty, case .toMany(let members) = owner.values[slot] else { return [] }
        return members.added.map(\.object)
    }
}
