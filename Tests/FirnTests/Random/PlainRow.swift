import Firn
import FirnLog
import FirnModel
import Foundation

/// An object of a program of requests, as a plain value.
struct PlainRow: Comparable, CustomStringConvertible {
    let kind: String
    let number: Int
    let store: Int
    var values: [String: (any Sendable)?] = [:]
    var box: Int?
    var tags: Set<Int> = []

    init(kind: String, number: Int, store: Int) {
        (self.kind, self.number, self.store) = (kind, number, store)
    }

    var isItem: Bool { kind == "Item" || kind == "Special" }

    static func < (a: PlainRow, b: PlainRow) -> Bool { a.number < b.number }

    static func == (a: PlainRow, b: PlainRow) -> Bool { a.description == b.description }

    var description: String {
        let texts = values.sorted { $0.key < $1.key }.map { "\($0): \(Self.text($1))" }
        return "\(kind) \(number) of \(store) in \(box ?? 0) with \(tags.sorted()), " + texts.joined(separator: ", ")
    }

    /// A text that only equal values have. A composite without elements is nil.
    static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let place as [String: Any]:
            place.isEmpty ? "nil" : place.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: " ")
        case let data as Data: "\(data.count) bytes from \(data.first ?? 0)"
        case let number as NSNumber: number.description
        case let value?: "\(value)"
        }
    }

    /// The row as a dictionary for predicates, with the rows that it leads to.
    func dictionary(among rows: [Int: PlainRow]) -> NSMutableDictionary {
        let result = attributes
        if isItem {
            result["box"] = box.flatMap { rows[$0]?.attributes }
            result["tags"] = NSSet(array: tags.compactMap { rows[$0]?.attributes })
        } else if kind == "Box" {
            result["items"] = NSSet(array: rows.values.filter { $0.box == number }.map(\.attributes))
        } else {
            result["items"] = NSSet(array: rows.values.filter { $0.tags.contains(number) }.map(\.attributes))
        }
        return result
    }

    private var attributes: NSMutableDictionary {
        let result = NSMutableDictionary()
        result["number"] = number
        for (key, value) in values { if let value { result[key] = value } }
        return result
    }

    /// The values that each attribute gets.
    static func values(of kind: String) -> [(key: String, values: [(any Sendable)?])] {
        let names = [nil, "", "anna", "Anna", "Änne", "bob", "bo", "a%_c", "zoë", "bob, or Anna", "Änne Bo"]
        let name: (String, [(any Sendable)?]) = ("name", names)
        let rank: (String, [(any Sendable)?]) = ("rank", [nil, -1, 0, 1, 2, 7])
        switch kind {
        case "Item", "Special":
            let own: [(String, [(any Sendable)?])] = [
                name, rank, ("price", [nil, -2.5, 0.0, 0.5, 1.5]), ("flag", [nil, true, false]),
                (
                    "date",
                    [nil, Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 86400.5)]
                ),
                ("amount", [nil, Decimal(string: "1.10")!, Decimal(string: "2.5")!, Decimal(10)]),
                ("place", places), ("blob", blobs), ("code", codes),
            ]
            return kind == "Item" ? own : own + [("extra", [nil, "x", "y"])]
        default: return [name, rank]
        }
    }

    /// Values of a composite of a name and a rank.
    private static let places: [(any Sendable)?] = {
        let names = ["anna", "Anna", "bob"]
        let whole: [[String: any Sendable]] = names.enumerated().map { ["name": $1, "rank": $0] }
        return [nil, ["name": "zoë"] as [String: any Sendable], ["rank": 7] as [String: any Sendable]] + whole
    }()

    /// Values of data: small ones, one that looks like a reference to a large one, and large ones where files may be.
    private static let blobs: [(any Sendable)?] = codes + [large, Data(repeating: 2, count: 120_000)]
    private static let large = Data(repeating: 1, count: 120_000)
    private static let codes: [(any Sendable)?] = [
        nil, Data(), Data([1, 2, 3]), Data(large.withUnsafeBytes(ExternalReference.init(to:)).bytes),
    ]
    /// Data that predicates name.
    static let variables: [String: any Sendable] = [
        "large": large, "small": codes[2], "lookalike": codes[3], "blobs": [large, codes[1]],
    ]

    /// The attributes that are derived, with their expressions.
    static func derivations(of kind: String) -> [(name: String, expression: String)] {
        switch kind {
        case "Item", "Special":
            [
                ("loudName", "uppercase:(name)"), ("boxName", "box.name"), ("tagRanks", "tags.rank.@sum"),
                ("tagCount", "tags.@count"), ("boxTopRank", "box.items.rank.@max"),
            ]
        case "Box":
            [
                ("itemCount", "items.@count"), ("itemRanks", "items.rank.@sum"), ("itemTopRank", "items.rank.@max"),
                ("tagCount", "items.tags.@count"),
            ]
        default: []
        }
    }

    /// The values that these attributes have.
    func derived(among rows: [Int: PlainRow]) -> [String: Any] {
        func ranks(_ rows: [PlainRow]) -> [Int] { rows.compactMap { $0.values["rank"] as? Int } }
        func items(of box: Int) -> [PlainRow] { rows.values.filter { $0.box == box } }
        var result: [String: Any] = [:]
        if isItem {
            let tags = tags.compactMap { rows[$0] }
            result["loudName"] = (values["name"] as? String)?.uppercased()
            result["boxName"] = box.flatMap { rows[$0]?.values["name"] ?? nil }
            result["tagRanks"] = ranks(tags).reduce(0, +)
            result["tagCount"] = tags.count
            result["boxTopRank"] = box.flatMap { ranks(items(of: $0)).max() }
        } else if kind == "Box" {
            let items = items(of: number)
            result["itemCount"] = items.count
            result["itemRanks"] = ranks(items).reduce(0, +)
            result["itemTopRank"] = ranks(items).max()
            result["tagCount"] = items.reduce(0) { $0 + $1.tags.count }
        }
        return result
    }

    static func model() -> NSManagedObjectModel {
        func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
            ModelSketch.entity(name, attributes.map { ModelSketch.attribute($0, $1) })
        }
        let common: [(String, NSAttributeType)] = [
            ("number", .integer64AttributeType), ("name", .stringAttributeType), ("rank", .integer32AttributeType),
        ]
        let item = entity(
            "Item",
            common + [
                ("price", .doubleAttributeType), ("flag", .booleanAttributeType), ("date", .dateAttributeType),
                ("amount", .decimalAttributeType),
            ])
        let special = entity("Special", [("extra", .stringAttributeType)])
        item.subentities = [special]
        let (box, tag) = (entity("Box", common), entity("Tag", common))
        func pair(_ one: NSEntityDescription, _ key: String, _ isToOne: Bool, _ other: NSEntityDescription) {
            let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
            (there.name, there.destinationEntity, there.inverseRelationship) = (key, other, back)
            (back.name, back.destinationEntity, back.inverseRelationship) = ("items", one, there)
            there.maxCount = isToOne ? 1 : 0
            for relationship in [there, back] {
                (relationship.isOptional, relationship.deleteRule) = (true, .nullifyDeleteRule)
            }
            one.properties.append(there)
            other.properties.append(back)
        }
        pair(item, "box", true, box)
        pair(item, "tags", false, tag)
        for (name, expression) in derivations(of: "Box") {
            box.properties.append(ModelSketch.derived(name, .integer64AttributeType, expression))
        }
        for (name, expression) in derivations(of: "Item") {
            let type: NSAttributeType = name.hasSuffix("Name") ? .stringAttributeType : .integer64AttributeType
            item.properties.append(ModelSketch.derived(name, type, expression))
        }
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [
            ModelSketch.attribute("name", .stringAttributeType), ModelSketch.attribute("rank", .integer32AttributeType),
        ]
        let blob = ModelSketch.attribute("blob", .binaryDataAttributeType)
        blob.allowsExternalBinaryDataStorage = true
        item.properties += [place, blob, ModelSketch.attribute("code", .binaryDataAttributeType)]
        // Items have an index of words, of which tags have none.
        for entity in [item, box] { entity.attributesByName["name"]?.userInfo = ["searchable": "YES"] }
        let model = NSManagedObjectModel()
        model.entities = [item, special, box, tag]
        return model
    }
}
