import Foundation
import SwiftData

// The models of the random programs: one to many with cascade and deny, many to many, one to one, and a unique value.
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

    init(_ number: Int, _ value: Int) { (self.number, self.value) = (number, value) }
}

@Model
final class Tome {
    var number: Int
    private(set) var value: Int
    private var form: Form
    @Attribute(.externalStorage) private var data: Data?
    var rack: Rack?
    var showing: Rack?

    init(_ number: Int, _ value: Int) {
        (self.number, self.value, form, data) = (number, value, Form(value), Form.data(value))
    }

    func set(_ value: Int) { (self.value, form, data) = (value, Form(value), Form.data(value)) }

    /// The value, if all say the same.
    var checked: Int { form == Form(value) && data == Form.data(value) ? value : -1 }
}

@Model
final class Clasp {
    var number: Int
    var rack: Rack?

    init(_ number: Int) { self.number = number }
}

@Model
final class Stamp {
    @Attribute(.unique) var number: Int
    private(set) var value: Int
    private var form: Form?
    @Attribute(.externalStorage) private var data: Data?
    var racks: [Rack] = []

    init(_ number: Int, _ value: Int) {
        (self.number, self.value, data) = (number, value, Form.data(value))
        form = value == 0 ? nil : Form(value)
    }

    func set(_ value: Int) {
        (self.value, data) = (value, Form.data(value))
        form = value == 0 ? nil : Form(value)
    }

    var checked: Int { form == (value == 0 ? nil : Form(value)) && data == Form.data(value) ? value : -1 }
}

/// Models that a context shows, or a store has, as plain values by number.
struct PlainLibrary: Equatable, CustomStringConvertible {
    struct Pair: Hashable { let rack: Int, stamp: Int }

    var racks: [Int: Int] = [:]
    var tomes: [Int: Int] = [:]
    var stamps: [Int: Int] = [:]
    var clasps: Set<Int> = []
    var rackOfTome: [Int: Int] = [:]
    var rackOfClasp: [Int: Int] = [:]
    var pairs: Set<Pair> = []
    /// The tome that each rack shows.
    var shown: [Int: Int] = [:]

    init() {}

    /// Reads every model, and each relationship from both sides: where these differ, there is no answer.
    init?(_ context: ModelContext) throws {
        let racks = try context.fetch(FetchDescriptor<Rack>())
        let (tomes, clasps) = (try context.fetch(FetchDescriptor<Tome>()), try context.fetch(FetchDescriptor<Clasp>()))
        let stamps = try context.fetch(FetchDescriptor<Stamp>())
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
            let shown = values(racks, \.number, { $0.shown?.number }),
            let showing = values(tomes, \.number, { $0.showing?.number })
        else { return nil }
        (self.racks, self.tomes, self.stamps) = (rackValues, tomeValues, stampValues)
        (self.rackOfTome, self.rackOfClasp, self.clasps) = (rackOfTome, rackOfClasp, Set(clasps.map(\.number)))
        self.shown = shown
        pairs = Set(racks.flatMap { rack in rack.stamps.map { Pair(rack: rack.number, stamp: $0.number) } })
        let others = Set(stamps.flatMap { stamp in stamp.racks.map { Pair(rack: $0.number, stamp: stamp.number) } })
        let back = showing.map { ($0.value, $0.key) }
        guard pairs == others, back.count == shown.count, back.allSatisfy({ shown[$0.0] == $0.1 }) else { return nil }
    }

    /// The values of models by their numbers, which no two models share.
    typealias Values = [Int: Int]

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
    }

    mutating func remove(tome: Int) {
        (tomes[tome], rackOfTome[tome]) = (nil, nil)
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
        return "racks \(list(racks)); tomes \(list(tomes)) in \(list(rackOfTome)); stamps \(list(stamps)); "
            + "pairs \(pairs); "
            + "clasps \(clasps.sorted()) in \(list(rackOfClasp)); shown \(list(shown))"
    }
}

extension [Int: Int] {
    /// The values that are others than before.
    func changed(since before: Self) -> Self { filter { before[$0.key] != $0.value } }
}
