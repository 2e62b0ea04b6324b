import FirnLog
import Testing

@Suite("The difference between two points")
struct DifferenceTests {
    private let log: SegmentLog

    init() throws {
        log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: Samples.date)
        try log.save(.model(Samples.model))
    }

    private func change(
        _ operation: ChangeGroup.Operation, _ key: Int64, old: String? = nil, new: String? = nil
    ) -> LogRecord.Body {
        func columns(_ text: String?) -> [Column] { text.map { [Column(.text, .text($0))] } ?? [] }
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: operation, primaryKeys: [key], slots: [0], new: columns(new),
            old: columns(old))
        return .changes(ChangeSet(model: 1, groups: [group]))
    }

    private func texts(_ difference: LogDifference) -> [String] {
        difference.changes.groups.map { group in
            let values = [group.old, group.new].map { columns in columns.first.map { "\($0[0])" } ?? "-" }
            return "\(group.operation) \(group.primaryKeys[0]) \(values[0]) \(values[1])"
        }
    }

    @Test("tells the oldest and the newest value of what was changed several times")
    func updates() throws {
        try log.save(
            change(.insert, 1, new: "a"), change(.update, 1, old: "a", new: "b"),
            change(.update, 1, old: "b", new: "c"))
        #expect(texts(try log.difference(from: 2, to: 4)) == [#"update 1 text("a") text("c")"#])
        #expect(texts(try log.difference(from: 1, to: 4)) == [#"insert 1 - text("c")"#])
    }

    @Test("tells nothing of what was changed back, or came and went")
    func nothing() throws {
        try log.save(
            change(.insert, 1, new: "a"), change(.update, 1, old: "a", new: "b"), change(.insert, 2, new: "x"),
            change(.update, 1, old: "b", new: "a"), change(.delete, 2, old: "x"))
        #expect(texts(try log.difference(from: 2, to: 6)) == [])
    }

    @Test("of a deleted object has the values before its last changes")
    func deletion() throws {
        try log.save(
            change(.insert, 1, new: "a"), change(.update, 1, old: "a", new: "b"), change(.delete, 1, old: "b"))
        #expect(texts(try log.difference(from: 2, to: 4)) == [#"delete 1 text("a") -"#])
    }

    @Test("backwards is the way back")
    func backwards() throws {
        try log.save(
            change(.insert, 1, new: "a"), change(.update, 1, old: "a", new: "b"), change(.insert, 2, new: "x"))
        #expect(
            texts(try log.difference(from: 2, to: 4).reversed)
                == [#"update 1 text("b") text("a")"#, #"delete 2 text("x") -"#])
    }

    @Test("of members tells those that came and stayed, and those that went")
    func members() throws {
        func key(_ number: Int64) -> ObjectKey { ObjectKey(entity: EntityNumber(1), primaryKey: number) }
        func links(added: [Int64], removed: [Int64]) -> LogRecord.Body {
            func list(_ keys: [Int64]) -> [Link] { keys.map { Link(source: key(1), destination: key($0)) } }
            return .changes(
                ChangeSet(
                    model: 1,
                    links: [
                        LinkGroup(entity: EntityNumber(1), slot: 3, removed: list(removed), added: list(added))
                    ]))
        }
        try log.save(links(added: [2, 3], removed: []), links(added: [4, 5], removed: [2, 4]))
        let difference = try log.difference(from: 2, to: 3)
        #expect(difference.changes.links.first?.added.map(\.destination.primaryKey) == [5])
        #expect(difference.changes.links.first?.removed.map(\.destination.primaryKey) == [2])
        #expect(difference.reversed.changes.links.first?.added.map(\.destination.primaryKey) == [2])
        #expect(difference.reversed.changes.links.first?.removed.map(\.destination.primaryKey) == [5])
    }

    @Test("tells nothing of objects that were only refreshed")
    func refreshes() throws {
        let refreshed = ChangeGroup(entity: EntityNumber(1), operation: .refresh, primaryKeys: [1], slots: [])
        try log.save(change(.insert, 1, new: "a"), .changes(ChangeSet(model: 1, groups: [refreshed])))
        #expect(texts(try log.difference(from: 2, to: 3)) == [])
    }
}
