extension ModelWriter {
    /// A `<fetchIndex>`.
    func index(_ index: NSFetchIndexDescription) -> ModelFileElement {
        var element = ModelFileElement("fetchIndex", ["name": index.name])
        element["partialIndexPredicate"] = index.partialIndexPredicate.map {
            PredicateText.text($0)
        }
        element.children = index.elements.map { part in
            var child = ModelFileElement("fetchIndexElement")
            child["type"] = part.collationType == .rTree ? "RTree" : "Binary"
            child["order"] = part.isAscending ? "ascending" : "descending"
            if let expression = part.property as? NSExpressionDescription {
                child["expression"] = expression.expression.map { PredicateText.text($0) }
                child["expressionType"] = expression.expressionResultType.fileName
                child["firn:name"] = expression.name.isEmpty ? nil : expression.name
            } else {
                child["property"] = part.property.map { path(to: $0, in: index.entity) }
            }
            return child
        }
        return element
    }

    /// The name of a property, or `composite.leaf` for an element of a composite.
    private func path(to property: NSPropertyDescription, in entity: NSEntityDescription?) -> String
    {
        if property.declaringEntity != nil { return property.name }
        let composites = (entity?.properties ?? []).compactMap {
            $0 as? NSCompositeAttributeDescription
        }
        return composites.lazy.compactMap { $0.path(to: property) }.first ?? property.name
    }
}

extension NSCompositeAttributeDescription {
    /// `composite.leaf` of an element inside, however deep; nil for what is not inside.
    fileprivate func path(to property: NSPropertyDescription) -> String? {
        for element in elements {
            if element === property { return "\(name).\(element.name)" }
            if let found = (element as? NSCompositeAttributeDescription)?.path(to: property) {
                return "\(name).\(found)"
            }
        }
        return nil
    }
}
