import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import FirnModel

/// Whether the keys of a predicate are properties: an object that is asked for another ends the program.
struct PredicateKeys {
    private let entity: NSEntityDescription?
    /// The entities that the variables of subqueries stand for.
    private var variables: [String: NSEntityDescription] = [:]

    init(_ entity: NSEntityDescription) { self.entity = entity }

    private init(_ entity: NSEntityDescription?, _ variables: [String: NSEntityDescription]) {
        (self.entity, self.variables) = (entity, variables)
    }

    /// Of predicates and expressions of the program's own, it knows best.
    func areKnown(in predicate: NSPredicate) -> Bool {
        switch predicate {
        case let compound as NSCompoundPredicate: compound.parts.allSatisfy(areKnown)
        case let comparison as NSComparisonPredicate:
            areKnown(in: comparison.leftExpression) && areKnown(in: comparison.rightExpression)
        default: true
        }
    }

    private func areKnown(in expression: NSExpression) -> Bool {
        switch expression.node {
        case .keyPath(let path, let operand):
            switch operand?.node {
            case nil, .evaluatedObject: return destination(path.string, entity).isKnown
            case .variable(let name): return destination(path.string, variables[name]).isKnown
            default: return operand.map(areKnown) ?? true
            }
        case .subquery(let collection, let variable, let predicate):
            guard areKnown(in: collection) else { return false }
            var member: NSEntityDescription?
            if case .keyPath(let path, nil) = collection.node { member = destination(path.string, entity).entity }
            var inner = variables
            inner[variable] = member
            return PredicateKeys(member, inner).areKnown(in: predicate)
        case .conditional(let predicate, let first, let second):
            return areKnown(in: predicate) && areKnown(in: first) && areKnown(in: second)
        default: return expression.node.children.allSatisfy(areKnown)
        }
    }

    /// Where a key path leads from an entity: nil for values, and for what is not known of.
    private func destination(
        _ path: String, _ start: NSEntityDescription?
    ) -> (isKnown: Bool, entity: NSEntityDescription?) {
        var entity = start
        for key in path.split(separator: ".").map(String.init) {
            guard let current = entity else { return (true, nil) }
            // Behind an operator stand properties of the members: books.@sum.pages
            if key == "self" || key == "SELF" || key.hasPrefix("@") { continue }
            if let relationship = current.relationshipsByName[key] {
                entity = relationship.destinationEntity
            } else {
                return (current.propertiesByName[key] != nil || key == "objectID" || key == "entity", nil)
            }
        }
        return (true, entity)
    }
}
