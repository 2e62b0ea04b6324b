import Foundation
import SwiftData
import Testing

protocol Named: PersistentModel {
    var name: String { get }
    var shout: String { get }
    var isOld: Bool { get }
    var isNew: Bool { get set }
    var size: Int { get }
    var owner: Owner? { get }
    var kind: Kind { get }
    var place: Place { get }
}

@Model
final class Ship: Named {
    var name: String
    var note: String = ""
    var isOld: Bool = false
    var isNew: Bool = false
    var isRed: Bool = false
    var size: Int = 0
    var weight: Int = 0
    var owner: Owner?
    var kind: Kind = Kind.leisure
    var place: Place = Place(city: "", country: "")

    var shout: String { name.uppercased() }

    init(name: String) { self.name = name }
}

protocol Graded: PersistentModel {
    var grade: Grade { get }
    var other: Kind? { get }
}

/// An enumeration that does not list its cases.
enum Grade: String, Codable { case low, high }

@Model
final class Exam: Graded {
    var grade: Grade
    var other: Kind?

    init(grade: Grade, other: Kind?) { (self.grade, self.other) = (grade, other) }
}

@Suite("Predicates and orders in generic code over a protocol's properties")
struct GenericQueryTests {
    let context: ModelContext

    init() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        context = ModelContext(try ModelContainer(for: Ship.self, Exam.self, configurations: memory))
        let (ark, bee, owner) = (Ship(name: "Ark"), Ship(name: "Bee"), Owner(name: "Noah"))
        (ark.isOld, bee.isNew, ark.size, bee.size) = (true, true, 300, 3)
        (ark.owner, ark.kind, ark.place) = (owner, .business, Place(city: "Ararat", country: "TR"))
        context.insert(ark)
        context.insert(bee)
        try context.save()
    }

    private func names<T: Named>(_ type: T.Type, _ predicate: Predicate<T>) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    }

    private func found<T: Named>(_ type: T.Type, name: String) throws -> [String] {
        try names(type, #Predicate { $0.name == name })
    }

    private func checkEvery<T: Named>(_ type: T.Type) throws {
        let (kind, city) = (Kind.business, "Ararat")
        #expect(try names(type, #Predicate { $0.isOld }) == ["Ark"])
        #expect(try names(type, #Predicate { $0.isNew && !$0.isOld }) == ["Bee"])
        #expect(try names(type, #Predicate { $0.size > 100 }) == ["Ark"])
        #expect(try names(type, #Predicate { $0.owner?.name == "Noah" }) == ["Ark"])
        #expect(try names(type, #Predicate { $0.owner == nil }) == ["Bee"])
        #expect(try names(type, #Predicate { $0.kind == kind }) == ["Ark"])
        #expect(try names(type, #Predicate { $0.place.city == city }) == ["Ark"])
        let order = FetchDescriptor<T>(sortBy: [SortDescriptor(\T.size)])
        #expect(try context.fetch(order).map(\.name) == ["Bee", "Ark"])
    }

    private func refusal<T: Named>(_ type: T.Type) throws {
        _ = try names(type, #Predicate { $0.shout == "ARK" })
    }

    @Test("a property that the protocol asks for is found in the model")
    func protocolProperty() throws {
        #expect(try found(Ship.self, name: "Bee") == ["Bee"])
        try checkEvery(Ship.self)
    }

    private func count<T: Graded>(_ type: T.Type, other: Kind?) throws -> Int {
        try context.fetchCount(FetchDescriptor<T>(predicate: #Predicate { $0.other == other }))
    }

    private func count<T: Graded>(_ type: T.Type, grade: Grade) throws -> Int {
        try context.fetchCount(FetchDescriptor<T>(predicate: #Predicate { $0.grade == grade }))
    }

    @Test("an optional enumeration is found, and one that does not list its cases is refused")
    func enumerations() throws {
        context.insert(Exam(grade: .high, other: .business))
        context.insert(Exam(grade: .low, other: nil))
        #expect(try count(Exam.self, other: .business) == 1)
        #expect(try count(Exam.self, other: nil) == 1)
        #expect(throws: SwiftDataError.unsupportedPredicate) { try count(Exam.self, grade: .low) }
    }

    @Test("a computed property that the protocol asks for is refused")
    func computed() throws {
        #expect(throws: SwiftDataError.unsupportedPredicate) { try refusal(Ship.self) }
    }
}
