import Foundation
import SwiftData

// The models of the random programs: one to many with cascade and deny, many to many, one to one with and without
// cascade, and unique values that upsert or throw.
// A tome and a stamp hold their value in forms that are stored in other ways, too.

/// The value of a model as a structure. No two values have one form, so that another value changes every property: what
/// two contexts change is merged property by property.
struct Form: Codable, Equatable {
    enum Cover: Codable, Equatable { case plain, numbered(Int), named(String, pages: [Int]) }

    var number: Int
    var cover: Cover
    var pages: [Int]?
    var size: [String: Double]

    init(_ value: Int) {
        number = value
        cover = [.plain, .numbered(value), .named("\(value)", pages: [value, 1])][value % 3]
        pages = value % 4 == 0 ? nil : Array(repeating: value, count: value % 4)
        size = value % 5 == 0 ? [:] : ["width": Double(value) / 4]
    }

    mutating func set(_ value: Int) {
        let new = Form(value)
        number = new.number
        cover = new.cover
        if let old = new.pages, pages != nil {
            pages?.removeAll()
            pages?.append(contentsOf: old)
        } else {
            pages = new.pages
        }
        size["width"] = new.size["width"]
    }

    /// Every fifth is large; none for 0.
    static func data(_ value: Int) -> Data? {
        value == 0 ? nil : Data(repeating: UInt8(value), count: value % 5 == 0 ? 110_000 : value)
    }
}

@Model
final class Rack {
    var number: Int
    var value: Int
    @Relationship(deleteRule: .cascade, inverse: \Tome.rack) var tomes: [Tome] = []
    @Relationship(deleteRule: .deny, inverse: \Clasp.rack) var clasps: [Clasp] = []
    @Relationship(inverse: \Stamp.racks) var stamps: [Stamp] = []
    @Relationship(inverse: \Tome.showing) var shown: Tome?
    @Relationship(deleteRule: .cascade, inverse: \Plate.rack) var plate: Plate?

    init(_ number: Int, _ value: Int) { (self.number, self.value) = (number, value) }
}

@Model
final class Plate {
    @Attribute(.unique(onConflict: .throw)) var number: Int
    var rack: Rack?

    init(_ number: Int) { self.number = number }
}

@Model
class Tome {
    var number: Int
    private(set) var value: Int
    private var form: Form
    @Attribute(.externalStorage) private var data: Data?
    var rack: Rack?
    var showing: Rack?

    init(_ number: Int, _ value: Int) {
        (self.number, self.value, form, data) = (number, value, Form(value), Form.data(value))
    }

    /// - Parameter isInPlace: whether parts of the structure are set, each by itself.
    func set(_ value: Int, isInPlace: Bool) {
        (self.value, data) = (value, Form.data(value))
        if isInPlace { form.set(value) } else { form = Form(value) }
    }

    /// The value, if all say the same.
    var checked: Int { form == Form(value) && data == Form.data(value) ? value : -1 }
}

@Model
final class Atlas: Tome {
    private var scale: Int
    private var index: Form?

    override init(_ number: Int, _ value: Int) {
        (scale, index) = (value, value % 2 == 0 ? nil : Form(value))
        super.init(number, value)
    }

    override func set(_ value: Int, isInPlace: Bool) {
        super.set(value, isInPlace: isInPlace)
        (scale, index) = (value, value % 2 == 0 ? nil : Form(value))
    }

    override var checked: Int {
        let isWhole = scale == value && index == (value % 2 == 0 ? nil : Form(value))
        return isWhole ? super.checked : -1
    }
}

@Model
final class Clasp {
    var number: Int
    var rack: Rack?

    init(_ number: Int) { self.number = number }
}

@Model
final class Stamp {
    #Unique<Stamp>([\.mark])

    @Attribute(.unique) var number: Int
    /// That of its number, but for models which are to have the values of two.
    var mark: String
    private(set) var value: Int
    private var form: Form?
    @Attribute(.externalStorage) private var data: Data?
    var racks: [Rack] = []

    init(_ number: Int, _ value: Int, marked: Int? = nil) {
        (self.number, self.value, data) = (number, value, Form.data(value))
        mark = "\(marked ?? number)"
        form = value == 0 ? nil : Form(value)
    }

    func set(_ value: Int, isInPlace: Bool) {
        (self.value, data) = (value, Form.data(value))
        if isInPlace, form != nil, value != 0 { form?.set(value) } else { form = value == 0 ? nil : Form(value) }
    }

    var checked: Int {
        let isWhole = form == (value == 0 ? nil : Form(value)) && data == Form.data(value) && mark == "\(number)"
        return isWhole ? value : -1
    }
}

/// Ways to read all models of a class.
enum Reading: CaseIterable {
    case fetch, prefetch, parts, batches, identifiers, enumeration

    func all<M: PersistentModel>(
        _ type: M.Type, _ parts: [PartialKeyPath<M>], _ relationships: [PartialKeyPath<M>], in context: ModelContext
    ) throws -> [M] {
        var descriptor = FetchDescriptor<M>()
        switch self {
        case .fetch: break
        case .prefetch: descriptor.relationshipKeyPathsForPrefetching = relationships
        case .parts: descriptor.propertiesToFetch = parts
        // Unsaved models are in no batch.
        case .batches: if !context.hasChanges { return Array(try context.fetch(descriptor, batchSize: 2)) }
        case .identifiers:
            return try context.fetchIdentifiers(descriptor).compactMap { identifier in
                guard let model = context.model(for: identifier) as? M else { return nil }
                let known: M? = context.registeredModel(for: identifier)
                return known === model ? model : nil
            }
        case .enumeration:
            var models: [M] = []
            try context.enumerate(descriptor, batchSize: 2) { models.append($0) }
            return models
        }
        return try context.fetch(descriptor)
    }
}

/// Models that a context shows, or a store has, as plain values by number.
struct PlainLibrary: Equatable, CustomStringConvertible {
    struct Pair: Hashable { let rack: Int, stamp: Int }

    var racks: [Int: Int] = [:]
    var tomes: [Int: Int] = [:]
    var stamps: [Int: Int] = [:]
    var clasps: Set<Int> = []
    var plates: Set<Int> = []
    /// The tomes of the subclass.
    var atlases: Set<Int> = []
    var rackOfTome: [Int: Int] = [:]
    var rackOfClasp: [Int: Int] = [:]
    var rackOfPlate: [Int: Int] = [:]
    var pairs: Set<Pair> = []
    /// The tome that each rack shows.
    var shown: [Int: Int] = [:]

    init() {}

    /// Reads every model, and each relationship from both sides: where these differ, there is no answer.
    init?(_ context: ModelContext, _ reading: Reading = .fetch) throws {
        let racks = try reading.all(Rack.self, [\.number], [\.tomes, \.stamps, \.shown], in: context)
        let tomes = try reading.all(Tome.self, [\.number], [\.rack], in: context)
        let atlases = try reading.all(Atlas.self, [\.number], [\.rack, \.showing], in: context)
        let clasps = try reading.all(Clasp.self, [], [\.rack], in: context)
        let plates = try reading.all(Plate.self, [\.number], [\.rack], in: context)
        let stamps = try reading.all(Stamp.self, [\.number, \.value], [\.racks], in: context)
        // Each model has an identifier of its own, which is found as a key.
        let models: [[any PersistentModel]] = [racks, tomes, clasps, plates, stamps]
        guard Set(models.joined().map(\.persistentModelID)).count == models.joined().count else { return nil }
        self.atlases = Set(atlases.map(\.number))
        guard self.atlases == Set(tomes.filter { $0 is Atlas }.map(\.number)) else { return nil }
        func values<M>(_ models: [M], _ number: (M) -> Int, _ value: (M) -> Int?) -> [Int: Int]? {
            let numbers = models.map(number)
            guard Set(numbers).count == numbers.count else { return nil }
            return Dictionary(
                uniqueKeysWithValues: models.compactMap { model in value(model).map { (number(model), $0) } })
        }
        func owners<M>(_ members: (Rack) -> [M], _ number: (M) -> Int) -> [Int: Int]? {
            let all = racks.flatMap { rack in members(rack).map { (number($0), rack.number) } }
            return Set(all.map(\.0)).count == all.count ? Dictionary(uniqueKeysWithValues: all) : nil
        }
        guard let rackValues = values(racks, \.number, \.value), let tomeValues = values(tomes, \.number, \.checked),
            let stampValues = values(stamps, \.number, \.checked),
            let rackOfTome = values(tomes, \.number, { $0.rack?.number }), owners(\.tomes, \.number) == rackOfTome,
            let rackOfClasp = values(clasps, \.number, { $0.rack?.number }), owners(\.clasps, \.number) == rackOfClasp,
            let rackOfPlate = values(plates, \.number, { $0.rack?.number }),
            owners({ [$0.plate].compactMap(\.self) }, \.number) == rackOfPlate,
            let shown = values(racks, \.number, { $0.shown?.number }),
            let showing = values(tomes, \.number, { $0.showing?.number })
        else { return nil }
        (self.racks, self.tomes, self.stamps) = (rackValues, tomeValues, stampValues)
        (self.rackOfTome, self.rackOfClasp, self.clasps) = (rackOfTome, rackOfClasp, Set(clasps.map(\.number)))
        (self.rackOfPlate, self.plates) = (rackOfPlate, Set(plates.map(\.number)))
        self.shown = shown
        pairs = Set(racks.flatMap { rack in rack.stamps.map { Pair(rack: rack.number, stamp: $0.number) } })
        let others = Set(stamps.flatMap { stamp in stamp.racks.map { Pair(rack: $0.number, stamp: stamp.number) } })
        let back = showing.map { ($0.value, $0.key) }
        guard pairs == others, back.count == shown.count, back.allSatisfy({ shown[$0.0] == $0.1 }) else { return nil }
    }

    /// The values of models by their numbers, which no two models share.
    typealias Values = [Int: Int]

    var numbers: Set<Int> { Set(racks.keys).union(tomes.keys).union(stamps.keys).union(clasps).union(plates) }

    var values: Values { racks.merging(tomes) { $1 }.merging(stamps) { $1 } }

    /// Models of the same numbers, with other values where they are there.
    func with(_ values: Values) -> Self {
        var result = self
        for (number, value) in values {
            if racks[number] != nil { result.racks[number] = value }
            if tomes[number] != nil { result.tomes[number] = value }
            if stamps[number] != nil { result.stamps[number] = value }
        }
        return result
    }

    mutating func remove(rack: Int) {
        racks[rack] = nil
        for tome in rackOfTome.filter({ $0.value == rack }).keys { remove(tome: tome) }
        pairs = pairs.filter { $0.rack != rack }
        shown[rack] = nil
        for plate in rackOfPlate.filter({ $0.value == rack }).keys { remove(plate: plate) }
    }

    mutating func remove(plate: Int) {
        plates.remove(plate)
        rackOfPlate[plate] = nil
    }

    mutating func give(plate: Int?, to rack: Int?) {
        if let rack { rackOfPlate = rackOfPlate.filter { $0.value != rack } }
        if let plate { rackOfPlate[plate] = rack }
    }

    mutating func remove(tome: Int) {
        (tomes[tome], rackOfTome[tome]) = (nil, nil)
        atlases.remove(tome)
        shown = shown.filter { $0.value != tome }
    }

    mutating func remove(stamp: Int) {
        stamps[stamp] = nil
        pairs = pairs.filter { $0.stamp != stamp }
    }

    mutating func show(_ tome: Int?, in rack: Int) {
        if let tome { shown = shown.filter { $0.value != tome } }
        shown[rack] = tome
    }

    var description: String {
        func list(_ values: [Int: Int]) -> String {
            values.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " ")
        }
        let pairs = pairs.map { "\($0.rack)-\($0.stamp)" }.sorted().joined(separator: " ")
        return "racks \(list(racks)); tomes \(list(tomes)) in \(list(rackOfTome)); atlases \(atlases.sorted()); "
            + "stamps \(list(stamps)); "
            + "pairs \(pairs); "
            + "clasps \(clasps.sorted()) in \(list(rackOfClasp)); shown \(list(shown)); "
            + "plates \(plates.sorted()) in \(list(rackOfPlate))"
    }
}

extension [Int: Int] {
    /// The values that are others than before.
    func changed(since before: Self) -> Self { filter { before[$0.key] != $0.value } }
}
