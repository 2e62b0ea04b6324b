import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import FirnModel

/// Whether the keys of a predicate are properties: an object that is asked for another ends the program.
struct PredicateKeys {
    private final class Finding {
        /// Whether a key leads to values that SQL cannot look into, or a predicate is code of the program's own.
        var isOpaque = false
    }

    private let entity: NSEntityDescription?
    private let finding: Finding
    /// Around a subquery: whether its plain keys are asked of the member or of the object, they have to be known.
    private var outer: [NSEntityDescription] = []
    /// The entities that the variables of subqueries stand for.
    private var variables: [String: NSEntityDescription] = [:]

    init(_ entity: NSEntityDescription) { (self.entity, finding) = (entity, Finding()) }

    private init(
        _ entity: NSEntityDescription?, _ outer: [NSEntityDescription], _ variables: [String: NSEntityDescription],
        _ finding: Finding
    ) {
        (self.entity, self.outer, self.variables, self.finding) = (entity, outer, variables, finding)
    }

    /// Whether a predicate that SQL refused is one for the objects themselves: about transformable values, or a block.
    /// All else that SQL refuses is a mistake, or without measure, and an error of the fetch.
    func areForMemory(in predicate: NSPredicate) -> Bool { areKnown(in: predicate) && finding.isOpaque }

    /// Of predicates and expressions of the program's own, it knows best.
    private func areKnown(in predicate: NSPredicate) -> Bool {
        switch predicate {
        case let compound as NSCompoundPredicate: return compound.parts.allSatisfy(areKnown)
        case let comparison as NSComparisonPredicate:
            return areKnown(in: comparison.leftExpression) && areKnown(in: comparison.rightExpression)
        default:
            finding.isOpaque = true
            return true
        }
    }

    private func areKnown(in expression: NSExpression) -> Bool {
        switch expression.node {
        case .keyPath(let path, let operand):
            switch operand?.node {
            case nil, .evaluatedObject:
                return ([entity] + outer).allSatisfy { destination(path.string, $0).isKnown }
            case .variable(let name):
                guard let member = variables[name] else { return false }
                return destination(path.string, member).isKnown
            case .subquery(let collection, _, _):
                guard let operand, areKnown(in: operand), case .keyPath(let members, nil) = collection.node else {
                    return false
                }
                return destination(path.string, destination(members.string, entity).entity).isKnown
            // Of what it would be asked is not known here.
            default: return false
            }
        case .variable(let name): return variables[name] != nil
        case .subquery(let collection, let variable, let predicate):
            guard areKnown(in: collection) else { return false }
            var member: NSEntityDescription?
            if case .keyPath(let path, nil) = collection.node { member = destination(path.string, entity).entity }
            var inner = variables
            inner[variable] = member
            return PredicateKeys(member, outer + [entity].compactMap { $0 }, inner, finding).areKnown(in: predicate)
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
        for component in KeyPathComponents(path).components {
            guard let current = entity, case .key(let key) = component else {
                if case .key(let key) = component, key.hasPrefix("@") { return (false, nil) }
                if case .collectionOperator(.count) = component { return (true, nil) }
                // Behind another operator stand properties of the members: books.@sum.pages
                continue
            }
            if key.hasPrefix("@") { return (false, nil) }
            if let relationship = current.relationshipsByName[key] {
                entity = relationship.destinationEntity
            } else {
                let type = current.attributesByName[key]?.attributeType
                if type == .transformableAttributeType { finding.isOpaque = true }
                return (current.propertiesByName[key] != nil || key == "objectID" || key == "entity", nil)
            }
        }
        return (true, entity)
    }
}
