/// A migration, after the document of a model that has one before it.
///
///     migration  = source (varint), highest number (varint), what (byte),
///                  with bit 0: count, moved …; with bit 1: changes
///     moved      = entity (varint), key offset (zigzag), count, value …
///     value      = slot (varint), from (byte), what it needs, fallback (a column of one row) if bit 7 of from
///
/// `from` in bits 0–6, and what follows it:
///
///     0  nothing
///     1  a slot of the same entity: varint
///     2  an inverse: entity (varint), slot (varint)
package enum MigrationPart {
    package static let entities: UInt8 = 1
    package static let rows: UInt8 = 2
    static let known: UInt8 = 3

    package static let none: UInt8 = 0
    package static let slot: UInt8 = 1
    package static let inverse: UInt8 = 2
    package static let fallback: UInt8 = 0x80
}

extension PayloadWriter {
    mutating func migration(_ migration: LogMigration) {
        out.varint(migration.source.rawValue)
        out.varint(UInt64(migration.highestNumber.rawValue))
        out.byte(
            (migration.entities == nil ? 0 : MigrationPart.entities)
                | (migration.rows == nil ? 0 : MigrationPart.rows))
        if let entities = migration.entities {
            out.varint(entities.count)
            for entity in entities {
                out.varint(UInt64(entity.entity.rawValue))
                out.zigzag(entity.keyOffset)
                out.varint(entity.properties.count)
                for property in entity.properties { self.property(property) }
            }
        }
        if let rows = migration.rows { changes(rows) }
    }

    private mutating func property(_ property: PropertyMigration) {
        out.varint(UInt64(property.slot))
        let flag = property.fallback.isNull ? 0 : MigrationPart.fallback
        switch property.source {
        case .none: out.byte(MigrationPart.none | flag)
        case .slot(let slot):
            out.byte(MigrationPart.slot | flag)
            out.varint(UInt64(slot))
        case .inverse(let entity, let slot):
            out.byte(MigrationPart.inverse | flag)
            out.varint(UInt64(entity.rawValue))
            out.varint(UInt64(slot))
        }
        if flag != 0 {
            var column = Column(property.fallback.storage)
            column.append(property.fallback)
            self.column(column, against: nil)
        }
    }
}

extension ByteReader {
    mutating func migration() throws(DecodeFailure) -> LogMigration {
        let source = SequenceNumber(try varint())
        let highest = EntityNumber(try number("an entity number"))
        let what = try byte()
        guard what <= MigrationPart.known else { throw failure("unknown parts of a migration") }
        var migration = LogMigration(source: source, highestNumber: highest, entities: nil)
        if what & MigrationPart.entities != 0 {
            var entities: [EntityMigration] = []
            for _ in 0..<(try count(of: "entities")) { entities.append(try movedEntity()) }
            migration.entities = entities
        }
        if what & MigrationPart.rows != 0 { migration.rows = try changes() }
        return migration
    }

    private mutating func movedEntity() throws(DecodeFailure) -> EntityMigration {
        let entity = EntityNumber(try number("an entity number"))
        var moved = EntityMigration(entity: entity, keyOffset: try zigzag(), properties: [])
        for _ in 0..<(try count(of: "values")) { moved.properties.append(try movedProperty()) }
        return moved
    }

    private mutating func movedProperty() throws(DecodeFailure) -> PropertyMigration {
        var property = PropertyMigration(slot: try number("a slot"), source: .none)
        let from = try byte()
        switch from & ~MigrationPart.fallback {
        case MigrationPart.none: break
        case MigrationPart.slot: property.source = .slot(try number("a slot"))
        case MigrationPart.inverse:
            let entity = EntityNumber(try number("an entity number"))
            property.source = .inverse(entity: entity, slot: try number("a slot"))
        default: throw failure("a value from the unknown place \(from)")
        }
        if from & MigrationPart.fallback != 0 {
            property.fallback = try column(count: 1, against: nil)[0]
        }
        return property
    }
}
