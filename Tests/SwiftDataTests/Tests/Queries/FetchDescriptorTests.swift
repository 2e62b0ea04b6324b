import Foundation
import SwiftData
import Testing

@Suite("Fetch descriptors")
struct FetchDescriptorTests {
    let zoo: Zoo
    var context: ModelContext { zoo.context }

    init() throws { zoo = try Zoo.sample() }

    private func names(_ order: [SortDescriptor<Creature>]) throws -> [String] {
        let descriptor = FetchDescriptor(sortBy: order)
        let saved = try ModelContext(zoo.container).fetch(descriptor).map(\.name)
        #expect(try zoo.unsaved.fetch(descriptor).map(\.name) == saved)
        return saved
    }

    @Test("propertiesToFetch reads these properties, and the others when they are asked for")
    func properties() throws {
        let reader = ModelContext(zoo.container)
        var descriptor = FetchDescriptor<Creature>(predicate: #Predicate { $0.name == "Cat" })
        descriptor.propertiesToFetch = [\.name, \.place]
        let cat = try #require(try reader.fetch(descriptor).first)
        let same = try #require(try zoo.creature("Cat"))
        (same.name, same.place.city, same.count, same.spot) = ("Lion", "Rom", 8, Place(city: "S", country: "T"))
        try context.save()
        // Read with the fetch, so from before the change.
        #expect(cat.name == "Cat")
        #expect(cat.place == Place(city: "Bern", country: "CH", zip: 3000))
        // Read now.
        #expect(cat.count == 8)
        #expect(cat.spot?.city == "S")
    }

    @Test("a property that is not fetched is read in full, and changed")
    func partialChange() throws {
        let reader = ModelContext(zoo.container)
        var descriptor = FetchDescriptor<Creature>(sortBy: [SortDescriptor(\.name)])
        descriptor.propertiesToFetch = [\.count]
        let creatures = try reader.fetch(descriptor)
        #expect(creatures.map(\.count) == [7, 0, -3, 4, 2])
        creatures[0].note = "new"
        try reader.save()
        #expect(creatures.map(\.name) == ["Cat", "Eel", "Kit", "Tit", "Tom"])
        let changed = FetchDescriptor<Creature>(predicate: #Predicate { $0.note == "new" })
        #expect(try context.fetch(changed).map(\.count) == [7])
    }

    @Test("a key path that is not saved is refused, in properties, prefetching and order")
    func unsupported() throws {
        var descriptor = FetchDescriptor<Creature>()
        descriptor.propertiesToFetch = [\.name.count]
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
        descriptor.propertiesToFetch = []
        descriptor.relationshipKeyPathsForPrefetching = [\.hashValue]
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
        let order = FetchDescriptor(sortBy: [SortDescriptor(\Creature.name.count)])
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try context.fetch(order) }
        let tags = FetchDescriptor(sortBy: [SortDescriptor(\Creature.tags.count)])
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try context.fetch(tags) }
    }

    @Test("prefetched relationships, to-one, to-many and through others, are the models' own")
    func prefetching() throws {
        let reader = ModelContext(zoo.container)
        var descriptor = FetchDescriptor<Creature>(predicate: #Predicate { $0.name == "Cat" })
        descriptor.relationshipKeyPathsForPrefetching = [\.owner, \.children, \.owner?.creatures]
        let cat = try #require(try reader.fetch(descriptor).first)
        #expect(cat.owner?.name == "Ada")
        #expect(Set(cat.children.map(\.name)) == ["Tom", "Kit"])
        #expect(cat.owner?.creatures.count == 2)
    }

    @Test("sorted by raw values, optional chains and parts of structures; nil comes first")
    func order() throws {
        let name = SortDescriptor(\Creature.name)
        #expect(try names([SortDescriptor(\.kind.rawValue), name]) == ["Cat", "Eel", "Kit", "Tit", "Tom"])
        #expect(try names([SortDescriptor(\.level.rawValue, order: .reverse), name])
            == ["Cat", "Tit", "Eel", "Kit", "Tom"])
        #expect(try names([SortDescriptor(\.owner?.name), name]) == ["Eel", "Kit", "Cat", "Tom", "Tit"])
        #expect(try names([SortDescriptor(\.owner?.name, order: .reverse), name])
            == ["Tit", "Cat", "Tom", "Eel", "Kit"])
        #expect(try names([SortDescriptor(\.parent?.owner?.age, order: .reverse), name])
            == ["Kit", "Tom", "Cat", "Eel", "Tit"])
        #expect(try names([SortDescriptor(\.place.city), name]) == ["Eel", "Kit", "Tit", "Tom", "Cat"])
        #expect(try names([SortDescriptor(\.place.zip, order: .reverse), name]) == ["Cat", "Eel", "Kit", "Tit", "Tom"])
        #expect(try names([SortDescriptor(\.spot?.city, order: .reverse), name]) == ["Tom", "Cat", "Eel", "Kit", "Tit"])
        #expect(try names([SortDescriptor(\.weight), SortDescriptor(\.count, order: .reverse)])
            == ["Tom", "Eel", "Kit", "Tit", "Cat"])
    }

    @Test("offset and limit cut what was sorted, unsaved models among it")
    func window() throws {
        var page = FetchDescriptor<Creature>(sortBy: [SortDescriptor(\.name)])
        (page.fetchOffset, page.fetchLimit) = (1, 2)
        #expect(try context.fetch(page).map(\.name) == ["Eel", "Kit"])
        context.insert(Creature(name: "Dog"))
        #expect(try context.fetch(page).map(\.name) == ["Dog", "Eel"])
        #expect(try context.fetchCount(page) == 2)
        page.includePendingChanges = false
        #expect(try context.fetch(page).map(\.name) == ["Eel", "Kit"])
        page.fetchOffset = 4
        #expect(try context.fetch(page).map(\.name) == ["Tom"])
        #expect(try context.fetchCount(page) == 1)
    }

    @Test("identifiers in batches, and the mixes that are refused")
    func identifiers() throws {
        let sorted = FetchDescriptor<Creature>(sortBy: [SortDescriptor(\.name)])
        let ids = try context.fetchIdentifiers(sorted, batchSize: 2)
        #expect(ids.count == 5)
        #expect(try Array(ids) == context.fetchIdentifiers(sorted))
        #expect((context.model(for: ids[4]) as? Creature)?.name == "Tom")
        context.insert(Creature(name: "Dog"))
        #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) {
            try context.fetchIdentifiers(sorted, batchSize: 2)
        }
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
            try context.fetchIdentifiers(FetchDescriptor<Creature>(), batchSize: 2)
        }
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.fetch(sorted, batchSize: 2) }
        var saved = sorted
        saved.includePendingChanges = false
        #expect(try context.fetchIdentifiers(saved, batchSize: 2).count == 5)
        #expect(try context.fetchIdentifiers(sorted).count == 6)
    }

    @Test("enumerate goes from batch to batch, unsaved models included, and reports changes that the block leaves")
    func enumerate() throws {
        let sorted = FetchDescriptor<Creature>(sortBy: [SortDescriptor(\.name)])
        var names: [String] = []
        try context.enumerate(sorted) { names.append($0.name) }
        #expect(names == ["Cat", "Eel", "Kit", "Tit", "Tom"])
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.enumerate(sorted) { $0.count += 1 } }
        context.rollback()
        try context.enumerate(sorted, batchSize: 2, allowEscapingMutations: true) { $0.count += 1 }
        #expect(context.changedModelsArray.count == 5)
        try context.save()
        var saves = 0
        try context.enumerate(sorted, batchSize: 2) { creature in
            creature.count = 0
            try context.save()
            saves += 1
        }
        #expect(saves == 5)
        #expect(try context.aggregate(.sum(\Creature.count)) == 0)
        context.insert(Creature(name: "Dog"))
        names = []
        try context.enumerate(sorted, batchSize: 2) { names.append($0.name) }
        #expect(names == ["Cat", "Dog", "Eel", "Kit", "Tit", "Tom"])
    }

    @Test("an asynchronous fetch gives identifiers, or models of the caller's context")
    @MainActor
    func asynchronous() async throws {
        let sorted = FetchDescriptor<Creature>(
            predicate: #Predicate { $0.count > 0 || $0.name == "Dog" }, sortBy: [SortDescriptor(\.name)])
        let main = zoo.container.mainContext
        let ids = try await zoo.container.identifiers(matching: sorted)
        #expect(ids.compactMap { (main.model(for: $0) as? Creature)?.name } == ["Cat", "Tit", "Tom"])
        let models = try await main.models(matching: sorted)
        #expect(models.map(\.name) == ["Cat", "Tit", "Tom"])
        #expect(models.allSatisfy { $0.modelContext === main })
        main.insert(Creature(name: "Dog"))
        #expect(try await main.models(matching: sorted).map(\.name) == ["Cat", "Dog", "Tit", "Tom"])
        let refused = FetchDescriptor<Creature>(predicate: #Predicate { $0.tags.isEmpty })
        await #expect(throws: SwiftDataError.unsupportedPredicate) {
            try await zoo.container.identifiers(matching: refused)
        }
    }
}
