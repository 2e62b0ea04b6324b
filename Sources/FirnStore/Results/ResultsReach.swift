package import FirnFoundation
package import class FirnFoundation.NSComparisonPredicate
package import class FirnFoundation.NSCompoundPredicate
package import class FirnFoundation.NSExpression
package import class FirnFoundation.NSPredicate
package import FirnModel

/// The entities that a request reads, other than those of the fetched objects.
///
///     department.name == "x"        Department: its name may change while the employee does not
///     department == %@, tags.@count none: whose members they are is a value of the fetched object
package struct ResultsReach {
    /// With their subentities.
    package private(set) var entityNames: Set<String> = []
    private let root: NSEntityDescription
    /// Paths from a variable of SUBQUERY, whose entity is one of those that were found.
    private var loosePaths: [[String]] = []

    package init(_ entity: NSEntityDescription, _ predicate: NSPredicate?, _ keyPaths: [String]) {
        root = entity
        for path in keyPaths { follow(path.split(separator: ".").map(String.init), from: [entity]) }
        // One that is nested too deep is refused by the fetch.
        if let predicate, !predicate.isTooDeep { visit(predicate) }
        followLoosePaths()
    }

    private mutating func visit(_ predicate: NSPredicate) {
        if let compound = predicate as? NSCompoundPredicate {
            compound.parts.forEach { visit($0) }
        } else if let comparison = predicate as? NSComparisonPredicate {
            visit(comparison.leftExpression)
            visit(comparison.rightExpression)
        }
    }

    private mutating func visit(_ expression: NSExpression) {
        if case .keyPath(let path, let operand) = expression.node {
            let keys = path.string.split(separator: ".").map(String.init)
            if operand == nil { follow(keys, from: [root]) } else { loosePaths.append(keys) }
        }
        if case .subquery(let collection, _, let predicate) = expression.node {
            // Its predicate looks at the members themselves.
            if case .keyPath(let path, nil) = collection.node {
                follow(path.string.split(separator: ".").map(String.init) + [Self.value], from: [root])
            }
            visit(predicate)
        } else if case .fetch(let request, _, _) = expression.node {
            insertRequest(request)
        } else if let predicate = expression.node.predicate {
            visit(predicate)
        }
        for child in expression.node.children { visit(child) }
    }

    /// Stands for a value of whatever the path has come to.
    private static let value = "*"
    private static let identities: Set<String> = ["@count", "objectID", "self", "SELF", "SIZE"]

    /// Notes the destination of each relationship behind which a value is read.
    private mutating func follow(_ keys: [String], from start: [NSEntityDescription]) {
        var entity = start.first
        for (index, key) in keys.enumerated() {
            guard let relationship = entity?.relationshipsByName[key] else { continue }
            entity = relationship.destinationEntity
            let rest = keys[(index + 1)...]
            if let entity, rest.contains(where: { !Self.identities.contains($0) }) { insert(entity) }
        }
    }

    private mutating func insert(_ entity: NSEntityDescription) {
        guard let name = entity.name, entityNames.insert(name).inserted else { return }
        entity.subentities.forEach { insert($0) }
    }

    /// Asks another request again when an object of its entity changes, or one that it looks at.
    private mutating func insertRequest(_ expression: NSExpression) {
        guard case .constant(let request as UntypedFetchRequest) = expression.node,
            let entity = root.managedObjectModel.entitiesByName[request.settings.entityName ?? ""]
        else { return }
        insert(entity)
        let keys = (request.settings.sortDescriptors ?? []).compactMap(\.key)
        for name in ResultsReach(entity, request.settings.predicate, keys).entityNames { entityNames.insert(name) }
    }

    /// Follows paths of variables whose entity is not asked: every one that was found so far may be it.
    private mutating func followLoosePaths() {
        var known = -1
        while known != entityNames.count, !loosePaths.isEmpty {
            known = entityNames.count
            let entities = entityNames.compactMap { root.managedObjectModel.entitiesByName[$0] }
            for path in loosePaths {
                for entity in entities + [root] { follow(path, from: [entity]) }
            }
        }
    }
}
