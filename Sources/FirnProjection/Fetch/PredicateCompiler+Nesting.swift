internal import FirnFoundation
internal import class FirnFoundation.NSPredicate

/// Predicates without the nesting that means nothing: SQLite's parser ends at some fifty parentheses within each other.
extension PredicateCompiler {
    /// The operand of `NOT`; nil for another predicate.
    static func negated(_ predicate: NSPredicate) -> NSPredicate? {
        guard let compound = exactCompound(predicate), compound.compoundPredicateType == .not else { return nil }
        return compound.parts.first
    }

    /// The parts of a conjunction or disjunction, with those of its like among them in their places.
    static func flattened(_ predicate: NSCompoundPredicate) -> [NSPredicate] {
        let type = predicate.compoundPredicateType
        guard predicate.parts.contains(where: { exactCompound($0)?.compoundPredicateType == type }) else {
            return predicate.parts
        }
        var parts: [NSPredicate] = []
        var rest: [NSPredicate] = predicate.parts.reversed()
        while let part = rest.popLast() {
            if let compound = exactCompound(part), compound.compoundPredicateType == type, !compound.parts.isEmpty {
                rest += compound.parts.reversed()
            } else {
                parts.append(part)
            }
        }
        return parts
    }

    // The exact type, because a subclass that the program declares may override the evaluation.
    private static func exactCompound(_ predicate: NSPredicate) -> NSCompoundPredicate? {
        guard type(of: predicate) == NSCompoundPredicate.self else { return nil }
        return predicate as? NSCompoundPredicate
    }
}
