package import FirnFoundation
package import class FirnFoundation.NSComparisonPredicate
package import class FirnFoundation.NSCompoundPredicate
package import class FirnFoundation.NSExpression
package import class FirnFoundation.NSPredicate
package import FirnModel

/// Decides whether objects in memory may evaluate a predicate that SQL refuses.
///
/// An object stops the program when it is asked for a key that it does not have, so every key and variable must be
/// known.
package struct PredicateClassifier {
    /// In the order of precedence: a predicate has the greatest need of its parts.
    package enum Need: Comparable {
        /// Stored values only. If SQL refuses the predicate all the same, the fetch reports the error.
        case storedValues
        /// A transformable value, or a block: only an object can answer.
        case objects
        /// An unknown key or variable. The fetch reports the error of SQL.
        case unknown
    }

    private let entity: NSEntityDescription?
    /// The entities around a subquery. In memory, a key without a variable is asked of the outer object.
    private var outer: [NSEntityDescription] = []
    /// The entities of the subqueries' variables.
    private var variables: [String: NSEntityDescription] = [:]

    package init(_ entity: NSEntityDescription) { self.entity = entity }

    private init(member: NSEntityDescription?, named variable: String, within other: PredicateClassifier) {
        entity = member
        outer = other.outer + [other.entity].compactMap { $0 }
        variables = other.variables
        variables[variable] = member
    }

    package func need(of predicate: NSPredicate) -> Need {
        switch predicate {
        case let compound as NSCompoundPredicate: greatest(compound.parts.map(need))
        case let comparison as NSComparisonPredicate:
            max(need(of: comparison.leftExpression), need(of: comparison.rightExpression))
        default: .objects
        }
    }

    private func need(of expression: NSExpression) -> Need {
        switch expression.node {
        case .keyPath(let path, let operand): need(of: path, operand)
        case .variable(let name): variables[name] == nil ? .unknown : .storedValues
        case .subquery(let collection, let variable, let predicate):
            max(
                need(of: collection),
                PredicateClassifier(member: member(of: collection), named: variable, within: self).need(of: predicate))
        case .conditional(let predicate, let first, let second):
            greatest([need(of: predicate), need(of: first), need(of: second)])
        default: greatest(expression.node.children.map(need))
        }
    }

    private func need(of path: KeyPathComponents, _ operand: NSExpression?) -> Need {
        guard let operand else { return greatest(([entity] + outer).map { resolve(path, from: $0).need }) }
        switch operand.node {
        case .evaluatedObject: return need(of: path, nil)
        case .variable(let name): return variables[name].map { resolve(path, from: $0).need } ?? .unknown
        case .subquery(let collection, _, _):
            guard let member = member(of: collection) else { return .unknown }
            return max(need(of: operand), resolve(path, from: member).need)
        default: return .unknown
        }
    }

    /// The entity of a relationship's members.
    private func member(of collection: NSExpression) -> NSEntityDescription? {
        guard case .keyPath(let path, nil) = collection.node else { return nil }
        return resolve(path, from: entity).destination
    }

    /// The need of a key path, and the entity that it leads to; nil for a value.
    private func resolve(
        _ path: KeyPathComponents, from start: NSEntityDescription?
    ) -> (need: Need, destination: NSEntityDescription?) {
        var entity = start
        for component in path.components {
            switch component {
            case .itself: continue
            case .collectionOperator(.count): return (.storedValues, nil)
            // The keys after an operator are asked of the members: books.@sum.pages
            case .collectionOperator: continue
            case .key(let key):
                // An operator that does not exist.
                if key.hasPrefix("@") { return (.unknown, nil) }
                guard let current = entity else { continue }
                guard let relationship = current.relationshipsByName[key] else {
                    return (need(of: key, current), nil)
                }
                entity = relationship.destinationEntity
            }
        }
        return (.storedValues, entity)
    }

    private func need(of key: String, _ entity: NSEntityDescription) -> Need {
        if entity.attributesByName[key]?.attributeType == .transformableAttributeType { return .objects }
        let isStored = entity.propertiesByName[key] != nil || ["objectID", "entity", "entity()"].contains(key)
        return isStored ? .storedValues : .unknown
    }

    private func greatest(_ needs: [Need]) -> Need { needs.max() ?? .storedValues }
}
