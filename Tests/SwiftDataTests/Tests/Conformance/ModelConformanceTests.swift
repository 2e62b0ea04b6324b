import Foundation
import SwiftData
import Testing

@Model
final class Sample {
    var number: Int = 3
    @Attribute(originalName: "label") var text: String = "none"
    @Attribute(.ephemeral) var scratch: Int = 0
    @Attribute(.unique, .preserveValueOnDeletion) var key: UUID
    @Attribute(.spotlight, .allowsCloudEncryption) var note: String?
    @Attribute(hashModifier: "2") var hashed: Int = 0
    @Transient var isOpen = true
    var shape: Shape?
    var frame = Shape(name: "", corners: [])
    var level: Level = Level.low
    var sizes: [Int: String] = [:]
    var ratio: Float = 0.5
    var small: Int8 = 1
    var large: UInt64 = 1
    var data: Data = Data()

    static let limit = 3
    var double: Int { number * 2 }

    #Unique<Sample>([\.number, \.text])
    #Index<Sample>([\.number], [\.text, \.number])

    init(key: UUID = UUID()) { self.key = key }
}

struct Shape: Codable, Equatable {
    var name: String
    var corners: [Corner]

    // Neither these nor the structure's `Codable` code are used where it is stored in columns.
    enum CodingKeys: String, CodingKey {
        case name = "n"
        case corners = "c"
    }
}

struct Corner: Codable, Equatable {
    var x: Double
    var y: Double
}

@Suite("What models and their properties do")
struct ModelConformanceTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        container = try ModelContainer(for: Sample.self, Team.self, configurations: memory)
        context = ModelContext(container)
    }

    private func again(_ sample: Sample) throws -> Sample {
        context.insert(sample)
        try context.save()
        return try #require(try ModelContext(container).fetch(FetchDescriptor<Sample>()).first)
    }

    @Test("s.9 stored properties are persisted, but for those that are transient, computed or of the class")
    func persisted() throws {
        let names = Set(try #require(container.schema.entity(for: Sample.self)).attributesByName.keys)
        #expect(names.isSuperset(of: ["number", "text", "scratch", "key", "note", "shape", "level", "sizes"]))
        #expect(names.isDisjoint(with: ["isOpen", "limit", "double"]))
        let sample = Sample()
        sample.isOpen = false
        #expect(try again(sample).isOpen)
    }

    @Test("s.9 a model is a PersistentModel, observable, and hashed by its identity")
    func conformances() {
        let (first, second) = (Sample(), Sample())
        let observed: any Observable = first
        #expect(observed as? any PersistentModel === first)
        #expect(first == first && first != second)
        #expect(Set([first, second, first]).count == 2)
    }

    @Test("s.10 the number of related models is checked at the save, where it has bounds")
    func counts() throws {
        let team = Team(name: "A")
        context.insert(team)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        team.players = (1...3).map { Player(name: "\($0)") }
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        team.players.removeLast()
        try context.save()
    }

    @Test("s.10 deny: a model that leads to others is not deleted")
    func deny() throws {
        let team = Team(name: "A")
        team.players = [Player(name: "1")]
        context.insert(team)
        try context.save()
        context.delete(team)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        context.rollback()
        #expect(try context.fetchCount(FetchDescriptor<Team>()) == 1)
    }

    @Test("s.11 several properties are unique together")
    func compound() throws {
        for (number, text) in [(1, "a"), (1, "b"), (2, "a"), (1, "a")] {
            let sample = Sample()
            (sample.number, sample.text) = (number, text)
            context.insert(sample)
            try context.save()
        }
        #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 3)
    }

    @Test("s.11 what is unique is in the schema")
    func uniqueSchema() {
        let entity = container.schema.entity(for: Sample.self)
        #expect(Set(entity?.uniquenessConstraints ?? []) == [["key"], ["number", "text"]])
    }

    @Test("s.12 what is indexed is in the schema, in the order of the declaration")
    func indices() {
        #expect(container.schema.entity(for: Sample.self)?.indices == [["number"], ["text", "number"]])
    }

    @Test("s.13 structures in columns, enumerations, collections and every width of number come back as they were")
    func values() throws {
        let sample = Sample()
        sample.shape = Shape(name: "square", corners: [Corner(x: 0, y: 1), Corner(x: 1.5, y: -1)])
        sample.level = .high
        sample.sizes = [1: "one", 2: "two"]
        sample.ratio = 0.1
        sample.small = -7
        sample.large = .max
        sample.data = Data([0, 255])
        let same = try again(sample)
        #expect(same.shape == sample.shape)
        #expect(same.level == .high)
        #expect(same.sizes == sample.sizes)
        #expect(same.ratio == 0.1)
        #expect(same.small == -7)
        #expect(same.large == .max)
        #expect(same.data == Data([0, 255]))
    }

    @Test("s.13 a structure's own coding keys are not used: its parts are columns by their names")
    func columns() throws {
        let sample = Sample()
        sample.frame = Shape(name: "square", corners: [])
        _ = try again(sample)
        let found = FetchDescriptor<Sample>(predicate: #Predicate { $0.frame.name == "square" })
        #expect(try context.fetchCount(found) == 1)
    }

    @Test("s.14 a class in a structure is saved as it encodes itself, where Apple's stops the program")
    func classInStructure() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Tenant.self, configurations: memory)
        let context = ModelContext(container)
        context.insert(Tenant(holder: Holder(name: "h", thing: Thing(size: 4))))
        try context.save()
        let tenant = try #require(try ModelContext(container).fetch(FetchDescriptor<Tenant>()).first)
        #expect(tenant.holder.name == "h")
        #expect(tenant.holder.thing.size == 4)
    }

    @Test("s.15 an ephemeral property is tracked and not stored")
    func ephemeral() throws {
        let sample = Sample()
        #expect(try again(sample).scratch == 0)
        sample.scratch = 7
        #expect(sample.hasChanges)
        try context.save()
        #expect(sample.scratch == 7)
        #expect(try ModelContext(container).fetch(FetchDescriptor<Sample>()).first?.scratch == 0)
    }

    @Test("s.15 the other options are in the schema")
    func options() throws {
        let attributes = try #require(container.schema.entity(for: Sample.self)).attributesByName
        #expect(attributes["key"]?.options.contains(.preserveValueOnDeletion) == true)
        #expect(attributes["note"]?.options.contains(.spotlight) == true)
        #expect(attributes["note"]?.options.contains(.allowsCloudEncryption) == true)
        #expect(attributes["text"]?.originalName == "label")
        #expect(attributes["hashed"]?.hashModifier == "2")
    }

    @Test("s.16 a default of the declaration is in the schema")
    func defaults() {
        let attributes = container.schema.entity(for: Sample.self)?.attributesByName
        #expect(attributes?["number"]?.defaultValue as? Int == 3)
        #expect(attributes?["text"]?.defaultValue as? String == "none")
        #expect(attributes?["key"]?.defaultValue == nil)
    }
}

@Model
final class Tenant {
    var holder: Holder

    init(holder: Holder) { self.holder = holder }
}

struct Holder: Codable {
    var name: String
    var thing: Thing
}

final class Thing: Codable, Sendable {
    let size: Int

    init(size: Int) { self.size = size }
}
