import Foundation
import SwiftData
import Testing

/// More properties than a scan passes over, of each type that has accessors of its own, with and without a value.
@Model
final class Panel {
    var whole = 1
    var real = 0.5
    var flag = true
    var text = "a"
    var day = Date(timeIntervalSinceReferenceDate: 1)
    var optionalWhole: Int?
    var optionalReal: Double?
    var optionalFlag: Bool?
    var optionalText: String?
    var optionalDay: Date?
    var setWhole: Int? = 2
    var setReal: Double? = 1.5
    var setFlag: Bool? = false
    var setText: String? = "b"
    var setDay: Date? = Date(timeIntervalSinceReferenceDate: 2)
    var small: Int8 = -3
    var large: UInt64 = .max
    var single: Float = 0.25
    var bytes = Data([1])

    init() {}

    var summary: [String] {
        [
            "\(whole) \(real) \(flag) \(text) \(day.timeIntervalSinceReferenceDate)",
            "\(optionalWhole as Any) \(optionalReal as Any) \(optionalFlag as Any) \(optionalText as Any)",
            "\(optionalDay as Any) \(setWhole as Any) \(setReal as Any) \(setFlag as Any) \(setText as Any)",
            "\(setDay?.timeIntervalSinceReferenceDate as Any) \(small) \(large) \(single) \(Array(bytes))",
        ]
    }

    func change() {
        (whole, real, flag, text, day) = (7, 7.5, false, "c", Date(timeIntervalSinceReferenceDate: 7))
        (optionalWhole, optionalReal, optionalFlag, optionalText) = (8, 8.5, true, "d")
        optionalDay = Date(timeIntervalSinceReferenceDate: 8)
        (setWhole, setReal, setFlag, setText, setDay) = (nil, nil, nil, nil, nil)
        (small, large, single, bytes) = (9, 1 << 63, -0.5, Data())
    }
}

/// A model with an enumeration that does not list its cases.
@Model
final class Dish {
    enum Course: String, Codable { case starter, main }

    var course: Course

    init(course: Course) { self.course = course }
}

@Suite("Models, their values and their identity")
struct ModelIdentityTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Panel.self, Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    @Test("a value reads alike in no context, inserted, saved, fetched and deleted", arguments: [false, true])
    func values(isChanged: Bool) throws {
        let panel = Panel()
        if isChanged { panel.change() }
        let expected = panel.summary
        #expect(expected[0] == (isChanged ? "7 7.5 false c 7.0" : "1 0.5 true a 1.0"))
        #expect(expected[1].contains("nil") != isChanged && expected[2].contains("nil nil nil nil") == isChanged)
        context.insert(panel)
        #expect(panel.summary == expected)
        try context.save()
        #expect(panel.summary == expected)
        #expect(try ModelContext(container).fetch(FetchDescriptor<Panel>()).map(\.summary) == [expected])
        context.delete(panel)
        #expect(panel.summary == expected)
        try context.save()
        #expect(panel.isDeleted && panel.summary == expected)
    }

    @Test("a change of a fetched model is saved, nil included")
    func changes() throws {
        context.insert(Panel())
        try context.save()
        let other = ModelContext(container)
        let fetched = try #require(try other.fetch(FetchDescriptor<Panel>()).first)
        fetched.change()
        try other.save()
        let expected = fetched.summary
        #expect(expected[2].hasSuffix("nil nil nil nil") && expected[3].hasPrefix("nil 9"))
        #expect(try ModelContext(container).fetch(FetchDescriptor<Panel>()).map(\.summary) == [expected])
    }

    @Test("a model is one object for as long as somebody has it, and another one afterwards")
    func oneObject() throws {
        context.insert(Panel())
        try context.save()
        let other = ModelContext(container)
        var first = try other.fetch(FetchDescriptor<Panel>()).first
        #expect(try other.fetch(FetchDescriptor<Panel>()).first === first)
        weak let old = first
        first = nil
        #expect(old == nil)
        #expect(try other.fetch(FetchDescriptor<Panel>()).first?.summary == Panel().summary)
    }

    @Test("a deleted model of which nothing was read has the first case of an enumeration")
    func firstCase() async throws {
        await #expect(processExitsWith: .success) {
            let memory = ModelConfiguration(isStoredInMemoryOnly: true)
            let container = try ModelContainer(for: Dish.self, configurations: memory)
            let (context, other) = (ModelContext(container), ModelContext(container))
            let dish = Dish(course: .main)
            context.insert(dish)
            try context.save()
            let unread = try #require(other.model(for: dish.persistentModelID) as? Dish)
            context.delete(dish)
            try context.save()
            #expect(try other.fetchCount(FetchDescriptor<Dish>()) == 0)
            #expect(unread.isDeleted)
            #expect(unread.course == .starter)
        }
    }

    @Test("an identifier of an object and the same decoded are equal and hash alike; others differ")
    func identifiers() throws {
        let (panel, trip, unsaved) = (Panel(), Trip(name: "A"), Panel())
        context.insert(panel)
        context.insert(trip)
        try context.save()
        context.insert(unsaved)
        let id = panel.persistentModelID
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
        let fetched = try #require(
            try ModelContext(container).fetchIdentifiers(FetchDescriptor<Panel>()).first)
        #expect(Set([id, decoded, fetched]).count == 1)
        #expect(decoded.entityName == "Panel" && decoded.storeIdentifier == id.storeIdentifier && !decoded.isTemporary)
        #expect(Set([id, trip.persistentModelID, unsaved.persistentModelID]).count == 3)
        #expect(id != unsaved.persistentModelID && unsaved.persistentModelID == unsaved.persistentModelID)
    }
}
