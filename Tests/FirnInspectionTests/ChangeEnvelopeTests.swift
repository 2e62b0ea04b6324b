import FirnInspection
import FirnLog
import Testing

@Suite("Lines of changes")
struct ChangeEnvelopeTests {
    private static let model = LogModel(
        entities: [
            LogEntity(
                number: EntityNumber(1), name: "Person", parent: nil,
                properties: [LogProperty(name: "name", kind: .attribute(.string))]),
            LogEntity(
                number: EntityNumber(2), name: "Tag", parent: nil,
                properties: [
                    LogProperty(
                        name: "people",
                        kind: .toMany(destination: EntityNumber(1), inverse: nil, isOrdered: false, isCanonical: true))
                ]),
        ])

    private func lines(
        _ changes: ChangeSet, entities: Set<EntityNumber>? = nil, object: ObjectKey? = nil
    ) throws -> [String] {
        let header = TransactionHeader(date: 1_500_000, id: TransactionID(high: 0, low: 1), author: "ann")
        let body = LogRecord.Body.changes(changes)
        let record = LogRecord(sequence: 7, header: header, body: body)
        var lines: [String] = []
        try ChangeEnvelope(store: "S").forEachLine(
            of: changes, in: record, ModelNames(Self.model), entities: entities, object: object
        ) { lines.append($0) }
        return lines
    }

    private func names(_ values: [String]) -> Column {
        var column = Column(.text)
        for value in values { column.append(.text(value)) }
        return column
    }

    private var changes: ChangeSet {
        ChangeSet(
            model: 1,
            groups: [
                ChangeGroup(
                    entity: EntityNumber(1), operation: .update, primaryKeys: [3, 4], slots: [0],
                    new: [names(["B", "D"])],
                    old: [names(["A", "C"])])
            ],
            links: [
                LinkGroup(
                    entity: EntityNumber(2), slot: 0,
                    added: [
                        Link(
                            source: ObjectKey(entity: EntityNumber(2), primaryKey: 1),
                            destination: ObjectKey(entity: EntityNumber(1), primaryKey: 3))
                    ])
            ])
    }

    @Test("an update has the operation u, both values, its record, author and date")
    func update() throws {
        #expect(
            try lines(changes)[0]
                == #"{"op":"u","before":{"name":"A"},"after":{"name":"B"},"source":{"store":"S","sequence":7,"#
                + #""author":"ann","entity":"Person","key":3},"ts_ms":1500,"ts_us":1500000}"#)
    }

    @Test("each object and each member has a line")
    func count() throws { #expect(try lines(changes).count == 3) }

    @Test("an entity leaves the lines of others out")
    func entity() throws { #expect(try lines(changes, entities: [EntityNumber(2)]).count == 1) }

    @Test("an object leaves the lines of others out, but for the relationships that it is a member of")
    func object() throws {
        #expect(try lines(changes, object: ObjectKey(entity: EntityNumber(1), primaryKey: 3)).count == 2)
        #expect(try lines(changes, object: ObjectKey(entity: EntityNumber(1), primaryKey: 4)).count == 1)
    }
}
