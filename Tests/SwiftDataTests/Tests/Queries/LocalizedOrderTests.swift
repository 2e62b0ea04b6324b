import Foundation
import SwiftData
import Testing

@Suite("Texts are sorted as a file browser lists names, unless a comparator says otherwise")
struct LocalizedOrderTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        container = try ModelContainer(for: Creature.self, configurations: memory)
        context = ModelContext(container)
        for name in ["file 10", "Zoë", "äpfel", "File 9", "apple", "Éclair", "eclair"] {
            let creature = Creature(name: name)
            creature.note = name == "Zoë" ? nil : name
            context.insert(creature)
        }
    }

    /// The names in an order: as the store gives them, which has to be as unsaved models have them, and as an array of
    /// models is sorted.
    private func names(_ order: SortDescriptor<Creature>) throws -> [String] {
        let descriptor = FetchDescriptor(sortBy: [order])
        let unsaved = try context.fetch(descriptor).map(\.name)
        let models = try context.fetch(FetchDescriptor<Creature>())
        var sorted = models
        sorted.sort(using: order)
        #expect(sorted.map(\.name) == unsaved)
        #expect(models.sorted(using: [order]).map(\.name) == unsaved)
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let copy = try ModelContainer(for: Creature.self, configurations: memory)
        let other = ModelContext(copy)
        for model in models {
            let creature = Creature(name: model.name)
            creature.note = model.note
            other.insert(creature)
        }
        try other.save()
        #expect(try ModelContext(copy).fetch(descriptor).map(\.name) == unsaved)
        return unsaved
    }

    private let standard = ["äpfel", "apple", "eclair", "Éclair", "File 9", "file 10", "Zoë"]

    @Test("without a comparator, numbers count as numbers and case is the last difference")
    func withoutComparator() throws {
        let expected = standard.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
        #expect(expected.firstIndex(of: "File 9") == 4)
        #expect(try names(SortDescriptor(\.name)) == expected)
        #expect(try names(SortDescriptor(\.name, order: .reverse)) == expected.reversed())
    }

    @Test("localizedStandard is the same, by each of its names")
    func localizedStandard() throws {
        let expected = try names(SortDescriptor(\.name))
        #expect(try names(SortDescriptor(\.name, comparator: .localizedStandard)) == expected)
        let reverse = SortDescriptor(\Creature.name, comparator: .localizedStandard, order: .reverse)
        #expect(try names(reverse) == expected.reversed())
        #expect(try names(SortDescriptor(\.name, comparator: String.StandardComparator.localizedStandard)) == expected)
        #expect(try names(SortDescriptor(\.name, comparator: String.LocalizedComparator.localizedStandard)) == expected)
    }

    /// As an application writes it, with a comparator of Apple's type.
    private func order<Model: PersistentModel>(
        _ keyPath: KeyPath<Model, String> & Sendable, _ comparator: String.StandardComparator = .localizedStandard
    ) -> SortDescriptor<Model> {
        SortDescriptor(keyPath, comparator: comparator)
    }

    @Test("a parameter has Apple's type, with its default")
    func parameter() throws {
        #expect(try names(order(\.name)) == names(SortDescriptor(\.name)))
        #expect(try names(order(\.name, .lexical)) == standard.sorted())
        let localized: String.StandardComparator = .localized
        #expect(try names(order(\.name, localized)) == names(SortDescriptor(\.name, comparator: .localized)))
        let backward = String.StandardComparator(localized, order: .reverse)
        let reverse = SortDescriptor(\Creature.name, comparator: .localized, order: .reverse)
        #expect(try names(order(\.name, backward)) == names(reverse))
        #expect(try names(SortDescriptor(\.note, comparator: backward, order: .forward)).first == "Zoë")
        let standard: String.StandardComparator = .localizedStandard
        #expect(["file 10", "File 9"].sorted(using: standard) == ["File 9", "file 10"])
    }

    @Test("localized takes numbers for texts")
    func localized() throws {
        let expected = standard.sorted { $0.localizedCompare($1) == .orderedAscending }
        #expect(expected.firstIndex(of: "file 10") == 4)
        #expect(try names(SortDescriptor(\.name, comparator: .localized)) == expected)
        #expect(try names(SortDescriptor(\.name, comparator: .localized, order: .reverse)) == expected.reversed())
    }

    @Test("lexical compares scalars")
    func lexical() throws {
        #expect(try names(SortDescriptor(\.name, comparator: .lexical)) == standard.sorted())
        let reverse = SortDescriptor(\Creature.name, comparator: .lexical, order: .reverse)
        #expect(try names(reverse) == standard.sorted().reversed())
    }

    @Test("a missing text comes first, and last in reverse")
    func optionalTexts() throws {
        let orders: [SortDescriptor<Creature>] = [
            SortDescriptor(\.note), SortDescriptor(\.note, comparator: .localizedStandard),
            SortDescriptor(\.note, comparator: .localized), SortDescriptor(\.note, comparator: .lexical),
        ]
        for order in orders { #expect(try names(order).first == "Zoë") }
        #expect(try names(SortDescriptor(\.note, order: .reverse)).last == "Zoë")
        #expect(try names(SortDescriptor(\.note, comparator: .localized, order: .reverse)).last == "Zoë")
    }

    @Test("texts of related models and parts of structures are sorted alike")
    func paths() throws {
        let creatures = try context.fetch(FetchDescriptor<Creature>())
        for creature in creatures {
            creature.owner = Owner(name: creature.name)
            creature.place.city = creature.name
        }
        try context.save()
        let expected = standard.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
        let orders: [SortDescriptor<Creature>] = [
            SortDescriptor(\.owner?.name), SortDescriptor(\.owner?.name, comparator: .localizedStandard),
            SortDescriptor(\.place.city), SortDescriptor(\.place.city, comparator: .localizedStandard),
        ]
        for order in orders {
            #expect(try ModelContext(container).fetch(FetchDescriptor(sortBy: [order])).map(\.name) == expected)
        }
    }

    @Test("the comparators sort texts themselves")
    func texts() {
        let names = ["file 10", "File 9"]
        #expect(names.sorted(using: .localizedStandard) == ["File 9", "file 10"])
        #expect(names.sorted(using: .localized) == ["file 10", "File 9"])
        #expect(names.sorted(using: KeyPathComparator(\.self, comparator: .localizedStandard)) == ["File 9", "file 10"])
    }
}
