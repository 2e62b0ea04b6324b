import FirnLog
import Testing

@Suite("A migration in the log")
struct MigrationCodingTests {
    private static let person = EntityNumber(1)

    private static func migration(_ entities: [EntityMigration]?, rows: ChangeSet? = nil) -> LogMigration {
        LogMigration(source: 3, highestNumber: EntityNumber(9), entities: entities, rows: rows)
    }

    private static let properties: [PropertyMigration] = [
        PropertyMigration(slot: 0, source: .slot(4)),
        PropertyMigration(slot: 1, source: .none, fallback: .integer(-7)),
        PropertyMigration(slot: 2, source: .slot(0), fallback: .text("é")),
        PropertyMigration(slot: 3, source: .none, fallback: .real(1.5)),
        PropertyMigration(slot: 4, source: .none, fallback: .blob([0, 255])),
        PropertyMigration(slot: 9, source: .inverse(entity: EntityNumber(7), slot: 300)),
    ]

    @Test("is read as it was written")
    func roundTrip() throws {
        let moved = EntityMigration(entity: Self.person, keyOffset: 1 << 40, properties: Self.properties)
        let rows = ChangeSet(
            model: 5,
            groups: [ChangeGroup(entity: Self.person, operation: .insert, primaryKeys: [1, 2])])
        let migrations = [
            Self.migration(nil), Self.migration([]), Self.migration([moved]), Self.migration([moved], rows: rows),
        ]
        let models = migrations.map { LogModel(entities: [], document: [1], migration: $0) }
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: 0)
        for model in models { try log.save(.model(model)) }
        #expect(try log.all().map(\.body) == models.map { .model($0) })
    }

    @Test("tells older change sets in newer terms: slots, keys, references; what is gone is left out")
    func upcast() throws {
        let model = LogModel(entities: [
            LogEntity(
                number: Self.person, name: "Person", parent: nil,
                properties: [
                    LogProperty(name: "name", kind: .attribute(.string)),
                    LogProperty(name: "best", kind: .toOne(destination: Self.person)),
                    LogProperty(
                        name: "friends",
                        kind: .toMany(destination: Self.person, inverse: nil, isOrdered: false, isCanonical: true)),
                ])
        ])
        let moved = EntityMigration(
            entity: Self.person, keyOffset: 100,
            properties: [
                PropertyMigration(slot: 0, source: .slot(3)), PropertyMigration(slot: 1, source: .slot(0)),
                PropertyMigration(slot: 2, source: .slot(2)),
            ])
        func column(_ values: PropertyValue...) -> Column {
            var column = Column(values[0].storage)
            for value in values { column.append(value) }
            return column
        }
        let key = ObjectKey(entity: Self.person, primaryKey: 8)
        let gone = ObjectKey(entity: EntityNumber(2), primaryKey: 8)
        let group = ChangeGroup(
            entity: Self.person, operation: .insert, primaryKeys: [7, 8], slots: [0, 1, 2, 3],
            new: [
                column(.reference(key), .reference(gone)), column(.integer(1), .integer(2)),
                column(.reference(key), .reference(key)), column(.text("a"), .text("b")),
            ])
        let found = try #require(Self.migration([moved]).upcast(group, to: model))
        #expect(found.primaryKeys == [107, 108])
        #expect(found.slots == [0, 1, 2])
        #expect(found.new[0] == column(.text("a"), .text("b")))
        #expect(found.new[1][0] == .reference(ObjectKey(entity: Self.person, primaryKey: 108)))
        #expect(found.new[1].isNull(at: 1))
        #expect(found.new[2].values == .touched(count: 2))
        let other = ChangeGroup(entity: EntityNumber(2), operation: .delete, primaryKeys: [1])
        #expect(Self.migration([moved]).upcast(other, to: model) == nil)
        #expect(Self.migration(nil).upcast(other, to: model) == other)
    }
}
