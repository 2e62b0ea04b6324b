import FirnFoundation
import class FirnFoundation.NSExpression
import FirnModel
import Foundation

/// How one derived attribute gets its value, as its expression says.
///
///     messages.@count            how many members a to-many relationship has
///     articles.wordCount.@sum    an attribute of the members, taken together; also @min, @max, @avg
///     author.name                an attribute of one related object
///     canonical:(name), now()    a function of the object's own attributes
///
/// https://developer.apple.com/documentation/coredata/nsderivedattributedescription
struct Derivation {
    enum Rule {
        case count(relationship: Int)
        case aggregate(Operator, relationship: Int, attribute: Int)
        case expression(NSExpression)
    }

    enum Operator: String { case sum, min, max, avg }

    let slot: Int
    let rule: Rule
    /// The relationship that leads to other objects whose changes matter.
    let relationship: Int?
    /// The attribute of those objects; nil where only who they are matters.
    let attribute: Int?

    /// Nil for an expression that is not there.
    init?(_ slot: Slot, of layout: EntityLayout) {
        guard let property = slot.property as? NSDerivedAttributeDescription,
            let expression = property.derivationExpression
        else { return nil }
        self.slot = slot.index
        let written = expression.expressionType == .keyPath ? expression.keyPath : ""
        let path = written.split(separator: ".").map(String.init)
        let keys = path.filter { !$0.hasPrefix("@") }
        let first = keys.first.flatMap(layout.slot(named:)).map { layout.slots[$0] }
        let second = keys.count == 2 ? first?.destination?.layout.slot(named: keys[1]) : nil
        relationship = first.flatMap { $0.isRelationship ? $0.index : nil }
        attribute = second
        let name = path.first { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        if let relationship, first?.isToMany ?? false, name == "count", keys.count == 1 {
            rule = .count(relationship: relationship)
        } else if let relationship, first?.isToMany ?? false, let second,
            let known = name.flatMap(Operator.init(rawValue:))
        {
            rule = .aggregate(known, relationship: relationship, attribute: second)
        } else {
            rule = .expression(expression)
        }
    }
}

extension Derivation.Operator {
    /// Over nothing a sum is 0, and the others have no value. Nulls are passed over.
    func value(_ values: [Any]) -> Any? {
        if self == .sum { return ValueReduction.sum(values) }
        guard !values.isEmpty else { return nil }
        switch self {
        case .sum: return ValueReduction.sum(values)
        case .avg: return ValueReduction.average(values)
        case .min: return ValueReduction.extreme(values, .orderedAscending)
        case .max: return ValueReduction.extreme(values, .orderedDescending)
        }
    }
}
