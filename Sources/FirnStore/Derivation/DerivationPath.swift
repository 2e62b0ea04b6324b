import FirnFoundation
import FirnModel
import Foundation

/// A key path of a derived attribute's expression, as slots.
///
///     name                            no step, an attribute
///     author.country.name             two steps to one object each, an attribute of the last one
///     articles.words.@sum             a step to many, their attributes taken together; also @min, @max, @avg
///     shelves.books.@count            how many different objects the steps lead to
///
/// https://developer.apple.com/documentation/coredata/nsderivedattributedescription
struct DerivationPath {
    enum Operator: String { case count, sum, min, max, avg }

    struct Step {
        let slot: Int
        let isToOne: Bool
        /// Nil for a relationship without an inverse: what changes behind it is not known to concern the owner.
        let inverse: Int?
        let destination: EntityLayout
    }

    let steps: [Step]
    /// The attribute of the objects at the end; nil where only how many there are matters.
    let attribute: Slot?
    let function: Operator?

    /// Nil for a path that an object of `layout` cannot answer from its store: it has no value.
    init?(_ text: String, of layout: EntityLayout) {
        let parts = text.split(separator: ".").map(String.init)
        let keys = parts.filter { !$0.hasPrefix("@") }
        let name = parts.first { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        function = name.flatMap(Operator.init(rawValue:))
        if name != nil, function == nil { return nil }
        var steps: [Step] = []
        var owner = layout
        var attribute: Slot?
        for (index, key) in keys.enumerated() where attribute == nil {
            // A leaf of a composite attribute has a name with a dot in it.
            if let leaf = owner.slot(named: keys[index...].joined(separator: ".")), owner.slots[leaf].isStored,
                !owner.slots[leaf].isToOne
            {
                attribute = owner.slots[leaf]
                continue
            }
            guard let slot = owner.slot(named: key), let destination = owner.slots[slot].destination?.layout,
                owner.slots[slot].isToOne || owner.slots[slot].isToMany, !owner.slots[slot].isTransient
            else { return nil }
            let info = owner.slots[slot]
            steps.append(
                Step(slot: slot, isToOne: info.isToOne, inverse: info.inverseSlot, destination: destination))
            owner = destination
        }
        self.steps = steps
        self.attribute = attribute
        if function == .count ? attribute != nil || steps.isEmpty : attribute == nil { return nil }
    }
}

extension DerivationPath.Operator {
    /// Over nothing a sum is 0, and the others have no value. Nulls are passed over.
    func value(_ values: [Any]) -> Any? {
        switch self {
        case .count: return values.count
        case .sum: return ValueReduction.sum(values)
        case .avg: return values.isEmpty ? nil : ValueReduction.average(values)
        case .min: return values.isEmpty ? nil : ValueReduction.extreme(values, .orderedAscending)
        case .max: return values.isEmpty ? nil : ValueReduction.extreme(values, .orderedDescending)
        }
    }
}
