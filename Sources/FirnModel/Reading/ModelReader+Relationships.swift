import Foundation

extension ModelReader {
    private static let attributesRead: Set<String> = [
        "name", "optional", "transient", "indexed", "storedInTruthFile", "versionHashModifier",
        "elementID",
        "deletionRule", "destinationEntity", "inverseName", "inverseEntity", "maxCount", "minCount",
        "toMany",
        "ordered",
    ]

    /// The `<relationship>`s of an entity, once all entities are known.
    mutating func readRelationships(_ element: ModelFileElement, of entity: NSEntityDescription) {
        let relationships = element.children("relationship").compactMap {
            readRelationship($0, of: entity)
        }
        entity.properties = entity.ownProperties + relationships
    }

    /// Sets the inverse of every relationship, once all relationships are known.
    mutating func connectInverses(_ element: ModelFileElement, of entity: NSEntityDescription) {
        for child in element.children("relationship") {
            guard let inverseName = child["inverseName"],
                let relationship = entity.ownRelationship(child["name"] ?? ""),
                let destination = relationship.destinationEntity
            else { continue }
            let named = child["inverseEntity"].flatMap { entities[$0] }?.relationship(inverseName)
            guard let inverse = destination.relationship(inverseName) ?? named else {
                let place = "\(destination.name ?? "").\(inverseName)"
                error("the inverse '\(place)' of '\(relationship.name)' is no relationship of the model.", child)
                continue
            }
            relationship.inverseRelationship = inverse
            guard let entity = child["inverseEntity"], named !== inverse else { continue }
            warning(
                "'\(relationship.name)' has an inverse of the entity '\(entity)', and leads to "
                    + "'\(destination.name ?? "")'; the inverse is '\(destination.name ?? "").\(inverseName)'.", child)
        }
    }

    /// The `<fetchIndex>`es of an entity, whose elements name properties or hold expressions.
    mutating func readIndexes(_ element: ModelFileElement, of entity: NSEntityDescription) {
        entity.indexes = element.children("fetchIndex").map { readIndex($0, of: entity) }
    }

    private mutating func readRelationship(
        _ element: ModelFileElement, of entity: NSEntityDescription
    ) -> NSRelationshipDescription? {
        guard let name = element["name"], !name.isEmpty else {
            error("a <relationship> has no name.", element)
            return nil
        }
        guard let destinationName = element["destinationEntity"] else {
            error("the relationship '\(name)' has no destination entity.", element)
            return nil
        }
        guard let destination = entities[destinationName] else {
            error(
                "the relationship '\(name)' leads to '\(destinationName)', which the model does not have.",
                element)
            return nil
        }
        let relationship = NSRelationshipDescription()
        readCommon(element, into: relationship)
        relationship.destinationEntity = destination
        relationship.isOrdered = element.flag("ordered")
        readCounts(element, into: relationship)
        if let rule = element["deletionRule"] {
            if let known = NSDeleteRule(fileName: rule) {
                relationship.deleteRule = known
            } else {
                warning(
                    "'\(name)' has the unknown deletion rule '\(rule)'; Nullify is used.", element)
            }
        }
        relationship.sourceAttributes = leftover(
            element, read: Self.attributesRead, kept: ["syncable"])
        readPredicates(element.children("firn:validation"), into: relationship)
        relationship.sourceElements = leftoverChildren(
            element, read: ["userInfo", "firn:validation"])
        return relationship
    }

    private mutating func readCounts(
        _ element: ModelFileElement, into relationship: NSRelationshipDescription
    ) {
        let isToMany = element.flag("toMany")
        relationship.minCount = count("minCount", element) ?? 0
        relationship.maxCount = count("maxCount", element) ?? (isToMany ? 0 : 1)
        if !isToMany, relationship.maxCount != 1 {
            warning(
                "'\(relationship.name)' is not to-many but has a maximum count of \(relationship.maxCount); "
                    + "the count is used.", element)
        }
    }

    private mutating func count(_ attribute: String, _ element: ModelFileElement) -> Int? {
        guard let text = element[attribute] else { return nil }
        if let count = Int(text), count >= 0 { return count }
        warning("\(attribute) is '\(text)', which is no count; it is left out.", element)
        return nil
    }

    private mutating func readIndex(
        _ element: ModelFileElement, of entity: NSEntityDescription
    ) -> NSFetchIndexDescription {
        let elements = element.children("fetchIndexElement").compactMap {
            readIndexElement($0, of: entity)
        }
        let index = NSFetchIndexDescription(name: element["name"] ?? "", elements: elements)
        if let text = element["partialIndexPredicate"] {
            index.partialIndexPredicate = PredicateText.predicate(text)
            if index.partialIndexPredicate == nil {
                warning(
                    "the predicate '\(text)' of the index '\(index.name)' cannot be read; it is left out.",
                    element)
            }
        }
        return index
    }

    private mutating func readIndexElement(
        _ element: ModelFileElement, of entity: NSEntityDescription
    ) -> NSFetchIndexElementDescription? {
        let type: NSFetchIndexElementType = element["type"] == "RTree" ? .rTree : .binary
        let property: NSPropertyDescription
        if let name = element["property"] {
            guard let found = entity.property(atPath: name) else {
                warning(
                    "an index of '\(entity.name ?? "")' is on '\(name)', which is no property of it.",
                    element)
                return nil
            }
            property = found
        } else if let text = element["expression"] {
            guard let expression = PredicateText.expression(text) else {
                warning(
                    "the expression '\(text)' of an index cannot be read; it is left out.", element)
                return nil
            }
            let description = NSExpressionDescription()
            description.name = element["firn:name"] ?? ""
            description.expression = expression
            description.expressionResultType =
                element["expressionType"].flatMap { .init(fileName: $0) }
                ?? .undefinedAttributeType
            property = description
        } else {
            warning(
                "an index of '\(entity.name ?? "")' has an element on nothing; it is left out.",
                element)
            return nil
        }
        let description = NSFetchIndexElementDescription(property: property, collationType: type)
        description.isAscending = element["order"] != "descending"
        return description
    }
}

extension NSEntityDescription {
    /// The relationship of a name that is declared here.
    package func ownRelationship(_ name: String) -> NSRelationshipDescription? {
        ownProperties.first { $0.name == name } as? NSRelationshipDescription
    }

    /// The relationship of a name that is declared here or inherited.
    func relationship(_ name: String) -> NSRelationshipDescription? {
        var entity: NSEntityDescription? = self
        while let current = entity {
            if let found = current.ownRelationship(name) { return found }
            entity = current.superentity
        }
        return nil
    }

    /// The property at `name`, or at `composite.leaf`.
    package func property(atPath path: String) -> NSPropertyDescription? {
        let parts = path.split(separator: ".").map(String.init)
        var found: NSPropertyDescription? = parts.first.flatMap { propertiesByName[$0] }
        for part in parts.dropFirst() {
            found = (found as? NSCompositeAttributeDescription)?.elements.first { $0.name == part }
        }
        return found
    }
}
