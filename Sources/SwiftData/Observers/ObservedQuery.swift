#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSExpression
import class FirnFoundation.NSSortDescriptor
import FirnModel
import Foundation

/// The results that an observer shows at one time.
struct ObservedResults<Element: PersistentModel, SectionTitle: Hashable> {
    let list: ModelList<Element>
    let sections: SectionedResults<Element, SectionTitle>?
}

/// The query of an observer to its context.
struct ObservedQuery<Element: PersistentModel, SectionTitle: Hashable> {
    /// With the predicate and the order that the observer was given.
    var descriptor: FetchDescriptor<Element>
    let sectionKey: KeyPath<Element, SectionTitle>?

    /// The rows of results that are read together when the first of them is.
    private static var batchSize: Int { 100 }

    /// As it is fetched: the model's identifier decides between equals.
    var fetchDescriptor: FetchDescriptor<Element> {
        var descriptor = descriptor
        descriptor.sortBy.append(SortDescriptor(\.persistentModelID))
        return descriptor
    }

    func fetch(in context: ModelContext) throws -> ObservedResults<Element, SectionTitle> {
        let request = try request(in: context)
        if request.includesPendingChanges { try context.resolveSetDeletions() }
        // What is unsaved is sorted and grouped in memory.
        let isLazy = !context.hasChanges && request.fetchLimit == 0 && request.fetchOffset == 0
        if isLazy { request.fetchBatchSize = Self.batchSize }
        let list = ModelList<Element>(objects: try context.managed.fetch(request), context: context)
        guard let sectionKey else { return ObservedResults(list: list, sections: nil) }
        let groups = isLazy ? try storedGroups(request, list.objects.count, context) : nil
        let sections = groups.map { makeSections($0, list) } ?? makeSections(by: sectionKey, list)
        return ObservedResults(list: list, sections: SectionedResults(sections))
    }

    /// The request with the section's key first in the order.
    func request(in context: ModelContext) throws -> NSFetchRequest<ModelObject> {
        let request = try FetchTranslation(descriptor: fetchDescriptor, context: context).request(ModelObject.self)
        guard let sectionKey else { return request }
        guard let name = ModelPredicateSource.shared.keyValueCodingKeyPath(for: sectionKey), !name.isEmpty else {
            throw SwiftDataError.unsupportedKeyPath.because("\(sectionKey) leads to no saved property")
        }
        var order = request.sortDescriptors ?? []
        let given = order.firstIndex { $0.key == name }.map { order.remove(at: $0) }
        request.sortDescriptors = [given ?? NSSortDescriptor(key: name, ascending: true)] + order
        return request
    }

    // Sections.

    private struct Group {
        let title: SectionTitle
        let count: Int
    }

    /// The sections as the store counts them: no result is read for that. Nil if the key is no column of its own, or
    /// the counts do not fit.
    private func storedGroups(
        _ request: NSFetchRequest<ModelObject>, _ total: Int, _ context: ModelContext
    ) throws -> [Group]? {
        guard let sectionKey, let property = ModelShape.of(Element.self).property(for: sectionKey),
            case .attribute(let column?) = property.kind, case .attribute = column.form, !column.isEncoded,
            let order = request.sortDescriptors?.first
        else { return nil }
        let grouping = NSFetchRequest<NSDictionary>(entityName: request.entityName ?? "")
        grouping.resultType = .dictionaryResultType
        (grouping.predicate, grouping.nullRule) = (request.predicate, request.nullRule)
        grouping.sortDescriptors = [order]
        grouping.propertiesToGroupBy = [property.name]
        grouping.propertiesToFetch = [property.name, Self.count]
        let groups = try context.managed.fetch(grouping).compactMap { row -> Group? in
            let value = row[property.name].flatMap { $0 is NSNull ? nil : $0 }
            guard let title = column.anyValue(value) as? SectionTitle,
                let count = (row[Self.count.name] as? NSNumber)?.intValue
            else { return nil }
            return Group(title: title, count: count)
        }
        return groups.reduce(0) { $0 + $1.count } == total ? groups : nil
    }

    private static var count: NSExpressionDescription {
        let count = NSExpressionDescription()
        count.name = "count of the section"
        count.expression = NSExpression(
            forFunction: "count:", arguments: [NSExpression.expressionForEvaluatedObject()])
        count.expressionResultType = .integer64AttributeType
        return count
    }

    private func makeSections(
        _ groups: [Group], _ list: ModelList<Element>
    ) -> [ResultsSection<Element, SectionTitle>] {
        var collector = SectionCollector<SectionTitle>()
        var position = 0
        for group in groups {
            collector.append(group.title, position..<position + group.count)
            position += group.count
        }
        return collector.sections(of: list)
    }

    private func makeSections(
        by key: KeyPath<Element, SectionTitle>, _ list: ModelList<Element>
    ) -> [ResultsSection<Element, SectionTitle>] {
        var collector = SectionCollector<SectionTitle>()
        for position in list.objects.indices {
            collector.append(list[position][keyPath: key], position..<position + 1)
        }
        return collector.sections(of: list)
    }
}

/// Collects results by their titles, in the order in which the titles first appear.
private struct SectionCollector<Title: Hashable> {
    private var found: [(title: Title, positions: SectionPositions)] = []
    private var indices: [Title: Int] = [:]

    mutating func append(_ title: Title, _ range: Range<Int>) {
        guard let index = indices[title] else {
            indices[title] = found.count
            found.append((title, .range(range)))
            return
        }
        for position in range { found[index].positions.append(position) }
    }

    func sections<Element: PersistentModel>(of list: ModelList<Element>) -> [ResultsSection<Element, Title>] {
        found.map { ResultsSection(title: $0.title, results: list, positions: $0.positions) }
    }
}
#endif
