import Foundation

extension ModelWriter {
    /// A `<fetchRequest>`; parts that Core Data's format does not have are under elements of our own.
    func request(_ request: NSFetchRequest<any NSFetchRequestResult>, name: String)
        -> ModelFileElement
    {
        var element = ModelFileElement("fetchRequest", ["name": name])
        element["entity"] = request.entityName
        element["predicateString"] = request.predicate.map { PredicateText.text($0) }
        element["firn:havingPredicate"] = request.havingPredicate.map { PredicateText.text($0) }
        element["fetchLimit"] = count(request.fetchLimit)
        element["fetchOffset"] = count(request.fetchOffset)
        element["fetchBatchSize"] = count(request.fetchBatchSize)
        element["resultType"] = count(Int(request.resultType.rawValue))
        element["includeSubentities"] = request.includesSubentities ? nil : "NO"
        element["includePropertyValues"] = request.includesPropertyValues ? nil : "NO"
        element["includePendingChanges"] = request.includesPendingChanges ? nil : "NO"
        element["returnObjectsAsFaults"] = request.returnsObjectsAsFaults ? nil : "NO"
        element["returnDistinctResults"] = flag(request.returnsDistinctResults)
        element["firn:shouldRefresh"] = flag(request.shouldRefreshRefetchedObjects)
        element.children += list("firn:prefetch", request.relationshipKeyPathsForPrefetching)
        element.children += list("firn:fetch", request.propertiesToFetch)
        element.children += list("firn:group", request.propertiesToGroupBy)
        if let descriptors = request.sortDescriptors {
            let items = descriptors.compactMap { PredicateText.element($0) }
            element.children.append(ModelFileElement("firn:sort", children: items))
        }
        return element
    }

    private func count(_ count: Int) -> String? { count == 0 ? nil : String(count) }

    /// Names, and properties by their names. Expressions that were made in code have no place in a file.
    private func list(_ name: String, _ values: [Any]?) -> [ModelFileElement] {
        guard let values else { return [] }
        let items = values.compactMap { value -> String? in
            switch value {
            case let property as NSPropertyDescription:
                property is NSExpressionDescription ? nil : property.name
            case let text as String: text
            default: nil
            }
        }
        return [
            ModelFileElement(
                name, children: items.map { ModelFileElement("firn:item", ["value": $0]) })
        ]
    }
}
