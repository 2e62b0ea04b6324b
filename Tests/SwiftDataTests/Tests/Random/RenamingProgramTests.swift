import Foundation
import SwiftData
import Testing

// Three versions of a part and its bin, with other names in each. Two properties swap theirs once, and name their
// origins in the third version too.

enum FirstParts: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Part.self, Bin.self] }

    @Model final class Part {
        @Attribute(.unique) var number: Int
        var left: Int?
        var right: Int?
        var place = Place(city: "", country: "")
        var kind: Kind?
        var bin: Bin?

        init(_ number: Int) { self.number = number }
    }

    @Model final class Bin {
        var label: String
        @Relationship(inverse: \Part.bin) var parts: [Part] = []

        init(_ label: String) { self.label = label }
    }
}

enum SecondParts: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Part.self, Bin.self] }

    @Model final class Part {
        @Attribute(.unique, originalName: "number") var code: Int
        @Attribute(originalName: "right") var left: Int?
        @Attribute(originalName: "left") var right: Int?
        @Attribute(originalName: "place") var origin = Place(city: "", country: "")
        @Attribute(originalName: "kind") var sort: Kind?
        @Relationship(originalName: "bin") var box: Bin?

        init(_ number: Int) { code = number }
    }

    @Model final class Bin {
        @Attribute(originalName: "label") var title: String
        @Relationship(originalName: "parts", inverse: \Part.box) var content: [Part] = []

        init(_ label: String) { title = label }
    }
}

enum ThirdParts: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Part.self, Bin.self] }

    @Model final class Part {
        @Attribute(.unique, originalName: "code") var number: Int
        @Attribute(originalName: "right") var left: Int?
        @Attribute(originalName: "left") var right: Int?
        @Attribute(originalName: "origin") var place = Place(city: "", country: "")
        @Attribute(originalName: "sort") var kind: Kind?
        @Relationship(originalName: "box") var bin: Bin?

        init(_ number: Int) { self.number = number }
    }

    @Model final class Bin {
        @Attribute(originalName: "title") var label: String
        @Relationship(originalName: "content", inverse: \Part.bin) var parts: [Part] = []

        init(_ label: String) { self.label = label }
    }
}

/// A part as plain values, the same in all versions.
struct PlainPart: Equatable {
    var low: Int?
    var high: Int?
    var city = ""
    var kind: Kind?
    var bin: String?
}

/// A part of any version.
protocol VersionedPart: PersistentModel {
    associatedtype Container: PersistentModel
    init(_ number: Int)
    static func container(_ label: String) -> Container
    var key: Int { get }
    func plain(_ context: ModelContext) -> PlainPart
    func set(_ part: PlainPart, _ bins: [Container])
    static func label(_ bin: Container) -> String
    static func count(_ bin: Container) -> Int
}

extension FirstParts.Part: VersionedPart {
    static func container(_ label: String) -> FirstParts.Bin { .init(label) }
    var key: Int { number }
    func plain(_ context: ModelContext) -> PlainPart {
        .init(low: left, high: right, city: place.city, kind: kind, bin: bin?.label)
    }
    func set(_ part: PlainPart, _ bins: [FirstParts.Bin]) {
        (left, right, place.city, kind) = (part.low, part.high, part.city, part.kind)
        bin = bins.first { $0.label == part.bin }
    }
    static func label(_ bin: FirstParts.Bin) -> String { bin.label }
    static func count(_ bin: FirstParts.Bin) -> Int { bin.parts.count }
}

extension SecondParts.Part: VersionedPart {
    static func container(_ label: String) -> SecondParts.Bin { .init(label) }
    var key: Int { code }
    func plain(_ context: ModelContext) -> PlainPart {
        .init(low: right, high: left, city: origin.city, kind: sort, bin: box?.title)
    }
    func set(_ part: PlainPart, _ bins: [SecondParts.Bin]) {
        (right, left, origin.city, sort) = (part.low, part.high, part.city, part.kind)
        box = bins.first { $0.title == part.bin }
    }
    static func label(_ bin: SecondParts.Bin) -> String { bin.title }
    static func count(_ bin: SecondParts.Bin) -> Int { bin.content.count }
}

extension ThirdParts.Part: VersionedPart {
    static func container(_ label: String) -> ThirdParts.Bin { .init(label) }
    var key: Int { number }
    func plain(_ context: ModelContext) -> PlainPart {
        .init(low: right, high: left, city: place.city, kind: kind, bin: bin?.label)
    }
    func set(_ part: PlainPart, _ bins: [ThirdParts.Bin]) {
        (right, left, place.city, kind) = (part.low, part.high, part.city, part.kind)
        bin = bins.first { $0.label == part.bin }
    }
    static func label(_ bin: ThirdParts.Bin) -> String { bin.label }
    static func count(_ bin: ThirdParts.Bin) -> Int { bin.parts.count }
}

/// Edits a store in each version, and reads it in the next one.
struct RenamingProgram {
    let seed: UInt64
    let url: URL
    private var numbers: SeededNumbers
    private var parts: [Int: PlainPart] = [:]
    private var bins: Set<String> = []

    init(seed: UInt64, _ url: URL) { (self.seed, self.url, numbers) = (seed, url, SeededNumbers(seed: seed)) }

    mutating func run() throws {
        try edit(FirstParts.Part.self, FirstParts.self)
        try edit(SecondParts.Part.self, SecondParts.self)
        try edit(ThirdParts.Part.self, ThirdParts.self)
        try edit(ThirdParts.Part.self, ThirdParts.self)
    }

    private mutating func value() -> Int? {
        Bool.random(using: &numbers) ? Int.random(in: 0..<100, using: &numbers) : nil
    }

    private mutating func edit<P: VersionedPart>(_ type: P.Type, _ version: any VersionedSchema.Type) throws {
        let container = try ModelContainer(
            for: Schema(versionedSchema: version), configurations: ModelConfiguration(url: url))
        let context = ModelContext(container)
        try check(type, context, "after the migration")
        if Int.random(in: 0..<4, using: &numbers) == 0 { return }
        var models = try context.fetch(FetchDescriptor<P.Container>())
        for number in 0..<8 {
            let part = PlainPart(
                low: value(), high: value(), city: ["", "Rom", "Oslo"].randomElement(using: &numbers) ?? "",
                kind: [nil, .leisure, .business].randomElement(using: &numbers) ?? nil,
                bin: [nil, "a", "b"].randomElement(using: &numbers) ?? nil)
            if Bool.random(using: &numbers) { continue }
            if let bin = part.bin, bins.insert(bin).inserted {
                models.append(P.container(bin))
                models.last.map { insert($0, in: context) }
            }
            let known = try context.fetch(FetchDescriptor<P>()).first { $0.key == number }
            if let known, Int.random(in: 0..<4, using: &numbers) == 0 {
                context.delete(known)
                parts[number] = nil
                continue
            }
            // One of the same number is updated.
            let model = Bool.random(using: &numbers) ? known ?? P(number) : P(number)
            let isNew = model.modelContext == nil
            if isNew { context.insert(model) }
            model.set(part, models)
            parts[number] = part
            if isNew, known != nil {
                // What it leads to goes over, nothing does not.
                if part.bin == nil { parts[number]?.bin = known?.plain(context).bin }
                try context.save()
            }
        }
        try context.save()
        try check(type, context, "after the edits")
    }

    private func insert<M: PersistentModel>(_ model: M, in context: ModelContext) { context.insert(model) }

    private func check<P: VersionedPart>(_ type: P.Type, _ context: ModelContext, _ when: String) throws {
        let found = try ModelContext(context.container).fetch(FetchDescriptor<P>())
        let plain = Dictionary(found.map { ($0.key, $0.plain(context)) }) { first, _ in first }
        guard plain.count == found.count, plain == parts else {
            throw ContextProgram.Mismatch(description: "seed \(seed), \(P.self) \(when): \(parts)\nfound\n\(plain)")
        }
        let counts = try context.fetch(FetchDescriptor<P.Container>()).map { (P.label($0), P.count($0)) }
        guard counts.count == bins.count, counts.allSatisfy({ bin in
            bin.1 == parts.values.filter { $0.bin == bin.0 }.count
        }) else { throw ContextProgram.Mismatch(description: "seed \(seed), \(P.self) \(when): bins \(counts)") }
    }
}

@Suite("Random programs over versions that rename all")
struct RenamingProgramTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["FIRN_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
    private static let operations = environment["FIRN_OPERATIONS"].flatMap(Int.init) ?? 1500

    @Test("values and relationships are the same under their new names")
    func programs() throws {
        print("random programs of versions: FIRN_SEED=\(Self.seed)")
        var seeds = SeededNumbers(seed: Self.seed)
        var seed = Self.seed
        for _ in 0..<max(1, Self.operations / 300) {
            let folder = TestFolder()
            var program = RenamingProgram(seed: seed, folder.file("Parts.store"))
            do { try program.run() } catch { Issue.record(error) }
            seed = seeds.next()
        }
    }
}
