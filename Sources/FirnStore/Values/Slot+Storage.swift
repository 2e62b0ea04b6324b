package import class FirnFoundation.NSPredicate
package import FirnFoundation
package import FirnLog
package import FirnModel
package import Foundation

/// The storage of a slot, for the store and the object graph.
extension Slot {
    /// How log and tables keep the slot's values.
    package var storage: StorageType {
        guard isStored else { return .none }
        switch kind {
        case .attribute(let type):
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
                .booleanAttributeType:
                return .integer
            case .doubleAttributeType, .floatAttributeType, .dateAttributeType: return .real
            case .decimalAttributeType, .stringAttributeType, .URIAttributeType, .objectIDAttributeType:
                return .text
            default: return .blob
            }
        case .toOne: return .reference
        case .position: return .integer
        case .toMany, .composite, .fetched: return .none
        }
    }

    package var isRelationship: Bool { isToOne || isToMany }

    /// Whether the slot orders the members of a relationship.
    package var isPosition: Bool { if case .position = kind { true } else { false } }

    package var relationship: NSRelationshipDescription? { property as? NSRelationshipDescription }

    package var declaringEntity: NSEntityDescription { property.entity }

    /// The data that stands for a transformable value; nil where the attribute's transformer has none for it.
    package func archived(_ value: Any) -> Data? {
        let (transformer, isUnarchiver) = transformer
        let data =
            isUnarchiver ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
        return data as? Data
    }

    /// The transformable value that data stands for.
    func unarchived(_ data: Data) -> Any? {
        let (transformer, isUnarchiver) = transformer
        return isUnarchiver ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
    }

    /// The transformer that the attribute names, else archiving of any class, as Core Data's default is. One that
    /// unarchives makes the value out of data, so it runs backwards to store; an application's own makes data out of
    /// the value.
    private var transformer: (ValueTransformer, isUnarchiver: Bool) {
        let name = (property as? NSAttributeDescription)?.valueTransformerName
            .map(NSValueTransformerName.init(rawValue:))
        let unarchivers: [NSValueTransformerName] = [
            .unarchiveFromDataTransformerName, .keyedUnarchiveFromDataTransformerName,
        ]
        let named = name.flatMap(ValueTransformer.init(forName:))
        let transformer =
            named ?? ValueTransformer(forName: .keyedUnarchiveFromDataTransformerName)
            ?? NSSecureUnarchiveFromDataTransformer()
        let isUnarchiver =
            named == nil || transformer is NSSecureUnarchiveFromDataTransformer
            || name.map(unarchivers.contains) == true
        return (transformer, isUnarchiver)
    }

    /// Predicates that a value must meet, each with its warning.
    package var validationRules: [(predicate: NSPredicate, warning: Any?)] {
        let warnings = property.validationWarnings
        return property.validationPredicates.enumerated().map { index, predicate in
            (predicate, index < warnings.count ? warnings[index] : nil)
        }
    }
}

extension EntityLayout {
    package func positionSlot(besides toOne: Int) -> Int? {
        if case .toOne(let info) = slots[toOne].kind { info.positionSlot } else { nil }
    }

    /// The changes that a change set tells of: stored slots, and to-many slots as touched.
    package func storedChanges(_ changed: SlotSet) -> SlotSet {
        var result = SlotSet()
        changed.forEach { slot in
            let info = slots[slot]
            if info.isStored || (info.isToMany && !info.isTransient) { result.insert(slot) }
        }
        return result
    }
}
