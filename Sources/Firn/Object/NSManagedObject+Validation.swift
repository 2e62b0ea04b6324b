import FirnStore
import FirnFoundation
import FirnModel
import FirnRuntime
import Foundation

/// The checks that a model asks for. Errors are Core Data's: domain `NSCocoaErrorDomain`, a code from 1550 on,
/// and the object, key and value in `userInfo`.
extension NSManagedObject {
    enum ValidationEvent { case insert, update }

    /// Checks every property of a new object, and of an old one every property whose value is in memory. Several
    /// failures become one error with code 1560.
    final func validateProperties(for event: ValidationEvent) throws {
        let asksClass = Self.overridesValidation(Swift.type(of: self))
        if !asksClass, layout.checkedSlots.isEmpty { return }
        // Without asking what each slot's rules are, which would count references.
        let isPresenceEnough = !asksClass && layout.asksOnlyForPresence
        if isPresenceEnough, values.areThere(layout.checkedSlots) { return }
        var failures: [any Error] = []
        for slot in asksClass ? layout.publicSlots : layout.checkedSlots {
            if isPresenceEnough, hasValue(slot) { continue }
            let info = layout.slots[slot]
            if event == .update, !changed.contains(slot), !isInMemory(info) { continue }
            if !asksClass, isSound(info) { continue }
            do {
                try validateProperty(info)
            } catch {
                failures.append(error)
            }
        }
        if !failures.isEmpty { try CoreDataError.throwAll(failures) }
    }

    private static let ownValidation = ObjectClass.validationOfValues(in: NSManagedObject.self)

    /// Whether a class overrides `validateValue(_:forKey:)`. For one that does not, values are checked in the form in
    /// which they are held, and no object is made of each.
    static func overridesValidation(_ type: NSManagedObject.Type) -> Bool {
        ownValidation == nil || ObjectClass.validationOfValues(in: type) != ownValidation
    }

    /// Whether an unchanged value is at hand. Not those of a fault, transient ones, members that were not read, and
    /// values that may be in a file of their own; nor what a fetched property finds, and derived values, which the save
    /// computes.
    private func isInMemory(_ info: Slot) -> Bool {
        if isFault || info.isDerived || info.isTransient { return false }
        switch info.kind {
        case .attribute: return !info.allowsExternalStorage || !values.isUnset(info.index)
        case .toOne, .composite: return true
        case .toMany: return !isUnread(info.index)
        case .fetched, .position: return false
        }
    }

    /// Whether the value, in the form in which it is held, is seen to meet all that the model asks: it is there.
    private func isSound(_ info: Slot) -> Bool {
        guard !info.hasValidationPredicates else { return false }
        switch info.kind {
        case .attribute, .toOne:
            if hasValue(info.index) { return true }
            if case .null = read(info.index) { return false }
            return true
        default: return false
        }
    }

    /// Whether a slot is seen to have a value, without making the object of a reference, which one to one may end.
    private func hasValue(_ slot: Int) -> Bool {
        if isFault { return false }
        if !values.isUnset(slot) { return values.isThere(slot) }
        if savedInteger(slot) != nil || savedReal(slot) != nil { return true }
        return !layout.slots[slot].isOneToOne && snapshot?.column(slot) != nil
    }

    private func validateProperty(_ info: Slot) throws {
        switch info.kind {
        case .fetched, .position: return
        case .toMany: try validateMembers(info)
        default:
            var value = anyValue(info.index).map { $0 as AnyObject }
            let before = value
            try validateValue(&value, forKey: info.name)
            if value !== before, !Self.isSame(value, before) { setAnyValue(value, info.index) }
        }
    }

    private static func isSame(_ lhs: AnyObject?, _ rhs: AnyObject?) -> Bool {
        if let lhs = lhs as? NSObject, let rhs = rhs as? NSObject { return lhs == rhs }
        if let lhs = lhs as? AnyHashable, let rhs = rhs as? AnyHashable { return lhs == rhs }
        return false
    }

    /// The rules for one value.
    final func validate(_ value: AnyObject?, _ slot: Int) throws {
        let info = layout.slots[slot]
        guard let value, !(value is NSNull) else {
            if info.isOptional { return }
            throw rules.error(.validationMissingMandatoryProperty, info)
        }
        if !info.validationRules.isEmpty { try rules.check(value, info) }
    }

    private var rules: ColumnRules { ColumnRules(entity: entity.name ?? "?", object: self) }

    private func validateMembers(_ info: Slot) throws {
        guard let relationship = info.relationship else { return }
        if relationship.minCount == 0, relationship.maxCount == 0 { return }
        let count = memberObjects(info.index).lazy.filter { !$0.isDeleted && $0.context != nil }.count
        if count == 0, info.isOptional { return }
        if count < relationship.minCount {
            throw rules.error(.validationRelationshipLacksMinimumCount, info)
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            throw rules.error(.validationRelationshipExceedsMaximumCount, info)
        }
    }

    /// Relationships with the rule Deny must be empty, or their members be deleted with the object.
    final func validateDeletion() throws {
        var failures: [NSError] = []
        for slot in layout.relationshipSlots where layout.slots[slot].deleteRule == .denyDeleteRule {
            let info = layout.slots[slot]
            let related: [NSManagedObject]
            switch info.kind {
            case .toOne: related = destination(info.index).map { [$0] } ?? []
            case .toMany: related = memberObjects(info.index)
            default: continue
            }
            if related.contains(where: { !$0.isDeleted && $0.context != nil }) {
                failures.append(rules.error(.validationRelationshipDeniedDelete, info))
            }
        }
        try CoreDataError.throwAll(failures)
    }
}
