import Foundation
import SwiftData

// Inheritance.
@Model
class Media {
    var title: String
    var year: Int = 2000

    init(title: String) { self.title = title }
}

@Model
final class Movie: Media {
    var minutes: Int

    init(title: String, minutes: Int) {
        self.minutes = minutes
        super.init(title: title)
    }
}

@Model
class Audio: Media {
    var artist: String = ""

    override init(title: String) { super.init(title: title) }
}

// Public, with a public initializer and a computed property with a setter.
@Model
public final class Account {
    public private(set) var balance: Int = 0
    public var owner: String
    internal var note: String = ""
    fileprivate var secret: String = ""
    private var log: [String] = []

    public init(owner: String) { self.owner = owner }

    public var displayName: String {
        get { owner.uppercased() }
        set { owner = newValue }
    }

    public func deposit(_ amount: Int) {
        balance += amount
        log.append("+\(amount)")
    }
}

// Conformances, static members, nested types, methods.
@Model
final class Recipe: CustomStringConvertible, Comparable {
    struct Step: Codable, Hashable {
        var text: String
        var minutes: Int
    }

    enum Course: String, Codable { case starter, main, dessert }

    static let limit = 10
    static var empty: Recipe { Recipe(name: "") }

    var name: String
    var steps: [Step]
    var course: Course

    init(name: String, steps: [Step] = [], course: Course = .main) {
        self.name = name
        self.steps = steps
        self.course = course
    }

    var description: String { name }
    static func < (lhs: Recipe, rhs: Recipe) -> Bool { lhs.name < rhs.name }
}

// Names in backticks, and names that clash with those of the macro's code.
@Model
final class Names {
    var `default`: Int = 0
    var `switch`: String = ""
    var context: String = ""
    var initialValue: Int = 0
    var newValue: Int = 0
    var keyPath: String = ""
    var mutation: String = ""
    var backingData: String = ""

    init() {}
}

// Nested models, as versioned schemas have them.
enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self, Folder.self] }

    @Model
    final class Note {
        var text: String
        var folder: Folder?
        init(text: String) { self.text = text }
    }

    @Model
    final class Folder {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: [Note] = []
        init(name: String) { self.name = name }
    }
}

enum SchemaV2: VersionedSchema {
    static let versionIdentifier: Schema.Version = .init(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model
    final class Note {
        @Attribute(originalName: "text") var body: String
        init(body: String) { self.body = body }
    }
}

typealias Note = SchemaV2.Note

enum NotePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
    static let toV2 = MigrationStage.lightweight(fromVersion: SchemaV1.self, toVersion: SchemaV2.self)
    static var stages: [MigrationStage] { [toV2] }
}

// Codable by hand.
@Model
final class Event: Codable {
    enum CodingKeys: CodingKey { case name, date }

    var name: String
    var date: Date

    init(name: String, date: Date) {
        self.name = name
        self.date = date
    }

    required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        date = try values.decode(Date.self, forKey: .date)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(date, forKey: .date)
    }
}

// Options.
@Model
final class Options {
    @Attribute(.ephemeral) var scratch: Int = 0
    @Attribute(.preserveValueOnDeletion) var code: String = ""
    @Attribute(.spotlight, .allowsCloudEncryption) var hint: String = ""
    @Attribute(.codable) var settings: Settings = Settings()
    @Attribute(hashModifier: "2") var modified: Int = 0
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var color: NSString?

    init() {}
}

// A protocol of ours, conformance in an extension.
protocol Titled: PersistentModel {
    var title: String { get set }
}

@Model
final class Article {
    var title: String
    var words: Int = 0
    init(title: String) { self.title = title }
}

extension Article: Titled {}

extension Titled {
    static func titled(_ title: String) -> FetchDescriptor<Self> {
        FetchDescriptor(predicate: #Predicate { $0.title == title })
    }
}

// Bounds.
@Model
final class Team {
    var name: String
    @Relationship(deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 11) var players: [Player]

    init(name: String, players: [Player]) {
        self.name = name
        self.players = players
    }
}

// A mandatory to-one relationship.
@Model
final class Player {
    var name: String
    init(name: String) { self.name = name }
}

@Model
final class Contract {
    var player: Player
    init(player: Player) { self.player = player }
}

// Convenience initializers, throwing and failable ones.
@Model
final class Measurement {
    var value: Double
    var unit: String

    init(value: Double, unit: String) {
        self.value = value
        self.unit = unit
    }

    convenience init?(_ text: String) {
        guard let value = Double(text) else { return nil }
        self.init(value: value, unit: "m")
    }

    convenience init(checked value: Double) throws {
        guard value >= 0 else { throw CocoaError(.formatting) }
        self.init(value: value, unit: "m")
    }
}
