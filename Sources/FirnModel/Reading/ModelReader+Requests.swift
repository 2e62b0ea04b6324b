import Foundation
import class FirnFoundation.NSPredicate

extension ModelReader {
    private static let requestAttributes: Set<String> = [
        "name", "entity", "predicateString", "fetchLimit", "fetchOffset", "fetchBatchSize",
        "resultType",
        "includeSubentities", "includesSubentities", "includePropertyValues",
        "includesPropertyValues",
        "includePendingChanges", "includesPendingChanges", "returnObjectsAsFaults",
        "returnsObjectsAsFaults",
        "returnDistinctResults", "returnsDistinctResults", "firn:predicate", "firn:havingPredicate",
        "firn:shouldRefresh",
    ]

    /// A `<fetchRequest>` of the model.
    mutating func readTemplate(_ element: ModelFileElement, into model: NSManagedObjectModel) {
        guard let name = element["name"] else {
            return error("a <fetchRequest> has no name.", element)
        }
        model.setFetchRequestTemplate(readRequest(element), forName: name)
    }

    /// A `<fetchedProperty>`. Its request's entity is found when all entities are known, by name.
    mutating func readFetchedProperty(_ element: ModelFileElement) -> NSFetchedPropertyDescription?
    {
        guard let name = element["name"], !name.isEmpty else {
            error("a <fetchedProperty> has no name.", element)
            return nil
        }
        let property = NSFetchedPropertyDescription()
        readCommon(element, into: property)
        property.isTransient = true
        if let request = element.children("fetchRequest").first {
            property.fetchRequest = readRequest(request)
        }
        property.sourceAttributes = leftover(
            element, read: ["name", "optional", "transient", "versionHashModifier", "elementID"],
            kept: ["syncable"])
        readPredicates(element.children("firn:validation"), into: property)
        property.sourceElements = leftoverChildren(
            element, read: ["fetchRequest", "userInfo", "firn:validation"])
        return property
    }

    private mutating func readRequest(_ element: ModelFileElement) -> NSFetchRequest<
        any NSFetchRequestResult
    > {
        let request =
            element["entity"].map { NSFetchRequest<any NSFetchRequestResult>(entityName: $0) }
            ?? NSFetchRequest()
        if let name = element["entity"], let entity = entities[name] { request.entity = entity }
        request.predicate =
            predicate("firn:predicate", element) ?? predicate("predicateString", element)
        request.havingPredicate = predicate("firn:havingPredicate", element)
        request.fetchLimit = element["fetchLimit"].flatMap { Int($0) } ?? 0
        request.fetchOffset = element["fetchOffset"].flatMap { Int($0) } ?? 0
        request.fetchBatchSize = element["fetchBatchSize"].flatMap { Int($0) } ?? 0
        request.resultType = .init(rawValue: element["resultType"].flatMap { UInt($0) } ?? 0)
        request.includesSubentities = answer(
            element, "includeSubentities", "includesSubentities", unsaid: true)
        request.includesPropertyValues =
            answer(element, "includePropertyValues", "includesPropertyValues", unsaid: true)
        request.includesPendingChanges =
            answer(element, "includePendingChanges", "includesPendingChanges", unsaid: true)
        request.returnsObjectsAsFaults =
            answer(element, "returnObjectsAsFaults", "returnsObjectsAsFaults", unsaid: true)
        request.returnsDistinctResults =
            answer(element, "returnDistinctResults", "returnsDistinctResults", unsaid: false)
        request.shouldRefreshRefetchedObjects = element.flag("firn:shouldRefresh")
        readLists(element, into: request)
        _ = leftover(element, read: Self.requestAttributes, kept: [])
        return request
    }

    /// Parts that Core Data's format does not have: key paths, sort descriptors, columns.
    private func readLists(
        _ element: ModelFileElement, into request: NSFetchRequest<any NSFetchRequestResult>
    ) {
        func names(_ name: String) -> [String]? {
            guard let list = element.children(name).first else { return nil }
            return list.children("firn:item").map { $0["value"] ?? "" }
        }
        request.relationshipKeyPathsForPrefetching = names("firn:prefetch")
        request.propertiesToFetch = names("firn:fetch")
        request.propertiesToGroupBy = names("firn:group")
        if let sort = element.children("firn:sort").first {
            request.sortDescriptors = sort.children("firn:item").compactMap {
                PredicateText.sortDescriptor($0)
            }
        }
    }

    private mutating func predicate(_ attribute: String, _ element: ModelFileElement)
        -> NSPredicate?
    {
        guard let text = element[attribute], !text.isEmpty else { return nil }
        if let predicate = PredicateText.predicate(text) { return predicate }
        warning("the predicate '\(text)' cannot be read; it is left out.", element)
        return nil
    }

    private func answer(_ element: ModelFileElement, _ name: String, _ other: String, unsaid: Bool)
        -> Bool
    {
        if element[name] == nil && element[other] == nil { return unsaid }
        return element.flag(name) || element.flag(other)
    }
}
