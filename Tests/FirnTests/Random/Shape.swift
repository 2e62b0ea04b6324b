import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport

/// The model of the random programs, as data: every kind of relationship and delete rule once. An end in brackets is
/// none of the model: the relationship has no inverse.
///
///     Author (Poet)  ──books──▶▶ Book        ordered, cascade          ◀──author──
///     Author         ──prizes──▶▶ Prize      deny                      ◀──author──
///     Author         ──room──▶ Room          one to one                ◀──owner──
///     Author         ──friends──▶▶ Author    its own inverse
///     Author         ──edited──▶▶ Book       ordered on both sides     ◀◀──editors──
///     Book           ──tags──▶▶ Tag          many to many              ◀◀──books──
///     Book           ──sequels──▶▶ Book      cascade                   ◀──prequel──
///     Author         ──motto──▶ Tag          one-sided                 (◀◀──mottoOf──)
///     Book           ──themes──▶▶ Tag        one-sided                 (◀◀──themeOf──)
///     Tag            ──labels──▶▶ Prize      no action                 ◀──label──
enum Kind: String, CaseIterable {
    case author = "Author"
    case poet = "Poet"
    case book = "Book"
    case tag = "Tag"
    case prize = "Prize"
    case room = "Room"

    /// The entity at the root of the kind's hierarchy.
    var root: Kind { self == .poet ? .author : self }

    /// Its relationships.
    var ends: [End] { allEnds.filter { !$0.shape.isHidden } }

    /// Its relationships, and those that lead to it without an inverse.
    var allEnds: [End] { Self.endsByRoot[root] ?? [] }

    private static let endsByRoot: [Kind: [End]] = Dictionary(grouping: End.all) { $0.shape.kind }
}

/// One end of an association: a relationship of a kind.
struct End: Hashable {
    let association: Int
    /// 0 or 1.
    let side: Int

    struct Shape {
        let kind: Kind
        let name: String
        var isToMany = true
        var isOrdered = false
        var rule = NSDeleteRule.nullifyDeleteRule
        /// Known to the plain model alone.
        var isHidden = false
    }

    var shape: Shape { Self.shapes[association][side] }

    var opposite: End {
        Self.shapes[association].count == 1 ? self : End(association: association, side: 1 - side)
    }

    /// Whether both ends are to-many: then pairs come and go one by one.
    var isManyToMany: Bool { shape.isToMany && opposite.shape.isToMany }
    var isOneToOne: Bool { !shape.isToMany && !opposite.shape.isToMany }
    /// Whether objects at the other side go on leading to one of these that was deleted.
    var isLeftDangling: Bool { shape.isHidden || shape.rule == .noActionDeleteRule }

    /// An association with one shape is its own inverse.
    private static let shapes: [[Shape]] = [
        [
            Shape(kind: .author, name: "books", isOrdered: true, rule: .cascadeDeleteRule),
            Shape(kind: .book, name: "author", isToMany: false),
        ],
        [
            Shape(kind: .author, name: "prizes", rule: .denyDeleteRule),
            Shape(kind: .prize, name: "author", isToMany: false),
        ],
        [
            Shape(kind: .author, name: "room", isToMany: false),
            Shape(kind: .room, name: "owner", isToMany: false),
        ],
        [Shape(kind: .author, name: "friends")],
        [
            Shape(kind: .author, name: "edited", isOrdered: true),
            Shape(kind: .book, name: "editors", isOrdered: true),
        ],
        [Shape(kind: .book, name: "tags"), Shape(kind: .tag, name: "books")],
        [
            Shape(kind: .book, name: "sequels", rule: .cascadeDeleteRule),
            Shape(kind: .book, name: "prequel", isToMany: false),
        ],
        [
            Shape(kind: .author, name: "motto", isToMany: false),
            Shape(kind: .tag, name: "mottoOf", isHidden: true),
        ],
        [Shape(kind: .book, name: "themes"), Shape(kind: .tag, name: "themeOf", isHidden: true)],
        [
            Shape(kind: .tag, name: "labels", rule: .noActionDeleteRule),
            Shape(kind: .prize, name: "label", isToMany: false),
        ],
    ]

    static let all: [End] = shapes.indices.flatMap { association in
        shapes[association].indices.map { End(association: association, side: $0) }
    }
}

extension Kind {
    /// The attributes that the programs change. `number` tells an object for ever.
    static let attributes = ["first", "second"]

    /// What stands for 0 up to 999 in the second one, which allows external storage: every fifth value is large, and
    /// some look as if they were references to those.
    static let blobs: [Data] = (0..<1000).map { value in
        switch value % 5 {
        case 0: largeBlob(value)
        case 1: Data(largeBlob(value - 1).withUnsafeBytes(ExternalReference.init(to:)).bytes)
        default: Data("\(value)".utf8)
        }
    }
    private static func largeBlob(_ value: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: value), count: 103_000 + value)
    }
    static let valuesOfBlobs = Dictionary(uniqueKeysWithValues: zip(blobs, 0...))

    /// A composite of two numbers.
    private static func digits() -> NSAttributeDescription {
        let digits = NSCompositeAttributeDescription()
        digits.elements = ["high", "low"].map { ModelSketch.attribute($0, .integer64AttributeType) }
        return digits
    }

    /// - Parameter isNext: the model of a later version, to which a store migrates by inference.
    static func model(isNext: Bool = false) -> NSManagedObjectModel {
        var entities: [Kind: NSEntityDescription] = [:]
        for kind in allCases {
            let entity = NSEntityDescription()
            entity.name = kind.rawValue
            if kind == kind.root {
                entity.properties = (["number"] + attributes + (isNext ? ["third"] : [])).map { name in
                    let attribute = name == attributes[0] ? digits() : NSAttributeDescription()
                    attribute.name = name
                    if name == attributes[0] { return attribute }
                    attribute.attributeType = name == attributes[1] ? .binaryDataAttributeType : .integer64AttributeType
                    attribute.allowsExternalBinaryDataStorage = name == attributes[1]
                    return attribute
                }
            }
            entities[kind] = entity
        }
        var relationships: [End: NSRelationshipDescription] = [:]
        for end in End.all where !end.shape.isHidden {
            let relationship = NSRelationshipDescription()
            relationship.name = end.shape.name
            relationship.destinationEntity = entities[end.opposite.shape.kind]
            relationship.maxCount = end.shape.isToMany ? 0 : 1
            relationship.isOrdered = end.shape.isOrdered
            relationship.deleteRule = end.shape.rule
            entities[end.shape.kind]?.properties.append(relationship)
            relationships[end] = relationship
        }
        for (end, relationship) in relationships { relationship.inverseRelationship = relationships[end.opposite] }
        if let poet = entities[.poet] { entities[.author]?.subentities = [poet] }
        let model = NSManagedObjectModel()
        model.entities = allCases.compactMap { entities[$0] }
        return model
    }
}
