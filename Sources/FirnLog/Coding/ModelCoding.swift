/// A model: its entities, then its document, then how the store came to it.
///
///     model     = count, entity …, document (run), migration unless it is the store's first model
///     entity    = number (varint), name (text), parent (varint: 0, or its number and one), count, property …
///     property  = name (text), what (byte), what it needs
///
/// `what` of a property, and what follows it:
///
///     1  attribute: AttributeKind (byte)
///     2  to-one: destination (varint)
///     3  to-many: destination (varint), inverse (varint: 0, or its slot and one), a byte: bit 0 ordered,
///        bit 1 canonical
///     4  position: slot of the to-one (varint)
///     5  transient
package enum PropertyPart {
    package static let attribute: UInt8 = 1
    package static let toOne: UInt8 = 2
    package static let toMany: UInt8 = 3
    package static let position: UInt8 = 4
    package static let transient: UInt8 = 5

    package static let ordered: UInt8 = 1
    package static let canonical: UInt8 = 2
}

extension PayloadWriter {
    mutating func model(_ model: LogModel) {
        out.varint(model.entities.count)
        for entity in model.entities {
            out.varint(UInt64(entity.number.rawValue))
            out.text(entity.name)
            out.varint(entity.parent.map { UInt64($0.rawValue) + 1 } ?? 0)
            out.varint(entity.properties.count)
            for property in entity.properties { self.property(property) }
        }
        model.document.withUnsafeBytes { out.run($0) }
        if let migration = model.migration { self.migration(migration) }
    }

    private mutating func property(_ property: LogProperty) {
        out.text(property.name)
        switch property.kind {
        case .attribute(let attribute):
            out.byte(PropertyPart.attribute)
            out.byte(attribute.rawValue)
        case .toOne(let destination):
            out.byte(PropertyPart.toOne)
            out.varint(UInt64(destination.rawValue))
        case .toMany(let destination, let inverse, let isOrdered, let isCanonical):
            out.byte(PropertyPart.toMany)
            out.varint(UInt64(destination.rawValue))
            out.varint(inverse.map { UInt64($0) + 1 } ?? 0)
            out.byte((isOrdered ? PropertyPart.ordered : 0) | (isCanonical ? PropertyPart.canonical : 0))
        case .position(let slot):
            out.byte(PropertyPart.position)
            out.varint(UInt64(slot))
        case .transient: out.byte(PropertyPart.transient)
        }
    }
}

extension LogModel {
    /// The model in the bytes of a record, without how the store came to it.
    package var encoded: [UInt8] {
        var model = self
        model.migration = nil
        var writer = PayloadWriter()
        writer.model(model)
        return writer.out.bytes
    }

    /// Nil if the bytes are no model's.
    package init?(encoded: [UInt8]) {
        let model = try? encoded.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let model = try reader.model()
            try reader.expectEnd()
            return model
        }
        guard let model else { return nil }
        self = model
    }
}

extension ByteReader {
    mutating func model() throws(DecodeFailure) -> LogModel {
        var model = LogModel(entities: [])
        for _ in 0..<(try count(of: "entities")) { model.entities.append(try entity()) }
        model.document = Array(try run())
        if left > 0 { model.migration = try migration() }
        return model
    }

    private mutating func entity() throws(DecodeFailure) -> LogEntity {
        let entityNumber = EntityNumber(try number("an entity number"))
        let name = try text()
        let parent: UInt32? = try optional("a parent")
        var entity = LogEntity(
            number: entityNumber, name: name, parent: parent.map { EntityNumber($0) }, properties: [])
        for _ in 0..<(try count(of: "properties")) {
            let name = try text()
            entity.properties.append(LogProperty(name: name, kind: try propertyKind()))
        }
        return entity
    }

    private mutating func propertyKind() throws(DecodeFailure) -> LogProperty.Kind {
        let what = try byte()
        switch what {
        case PropertyPart.attribute:
            let kind = try byte()
            guard let attribute = AttributeKind(rawValue: kind) else {
                throw failure("an attribute of the unknown kind \(kind)")
            }
            return .attribute(attribute)
        case PropertyPart.toOne: return .toOne(destination: EntityNumber(try number("an entity number")))
        case PropertyPart.toMany:
            let destination = EntityNumber(try number("an entity number"))
            let inverse: UInt16? = try optional("an inverse")
            let bits = try byte()
            return .toMany(
                destination: destination, inverse: inverse, isOrdered: bits & PropertyPart.ordered != 0,
                isCanonical: bits & PropertyPart.canonical != 0)
        case PropertyPart.position: return .position(toOne: try number("a slot"))
        case PropertyPart.transient: return .transient
        default: throw failure("a property of the unknown kind \(what)")
        }
    }

    private mutating func optional<N: FixedWidthInteger>(
        _ what: StaticString
    ) throws(DecodeFailure) -> N? {
        let value = try varint()
        if value == 0 { return nil }
        guard let number = N(exactly: value - 1) else { throw failure("\(value) as \(what)") }
        return number
    }
}
