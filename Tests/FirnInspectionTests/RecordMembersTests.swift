import FirnInspection
import FirnLog
import Testing

@Suite("Members that came and went in a change set")
struct RecordMembersTests {
    private static let team = EntityNumber(1)
    private static let person = EntityNumber(2)
    private static let tag = EntityNumber(3)

    /// Team.people ⟷ Person.team, ordered; Tag.people ⟷ Person.tags, in links.
    private static let names = ModelNames(
        LogModel(entities: [
            LogEntity(
                number: team, name: "Team", parent: nil,
                properties: [
                    LogProperty(
                        name: "people",
                        kind: .toMany(destination: person, inverse: 0, isOrdered: true, isCanonical: false))
                ]),
            LogEntity(
                number: person, name: "Person", parent: nil,
                properties: [
                    LogProperty(name: "team", kind: .toOne(destination: team)),
                    LogProperty(name: "Z_ORD_team", kind: .position(toOne: 0)),
                    LogProperty(
                        name: "tags",
                        kind: .toMany(destination: tag, inverse: nil, isOrdered: false, isCanonical: false)),
                ]),
            LogEntity(
                number: tag, name: "Tag", parent: nil,
                properties: [
                    LogProperty(
                        name: "people",
                        kind: .toMany(destination: person, inverse: nil, isOrdered: true, isCanonical: true))
                ]),
        ]))

    private func column(_ type: StorageType, _ values: [PropertyValue]) -> Column {
        var column = Column(type)
        for value in values { column.append(value) }
        return column
    }

    private func reference(_ key: Int64) -> PropertyValue { .reference(ObjectKey(entity: Self.team, primaryKey: key)) }

    private func touched(_ entity: EntityNumber, _ key: Int64, slot: UInt16) -> ChangeGroup {
        var column = Column(.none)
        column.appendTouched()
        return ChangeGroup(entity: entity, operation: .update, primaryKeys: [key], slots: [slot], new: [column])
    }

    private var names: ModelNames { Self.names }

    /// What is said of one of the change set's objects: its operation, relationship, members.
    private func members(_ changes: ChangeSet, group: Int) -> [String] {
        let change = LoggedChange(
            group: changes.groups[group], row: 0, names: names, members: RecordMembers(changes, names))
        return change.relationships.map { "\($0.name) \($0.json(names).line)" }
    }

    @Test("are found by their own to-one: moved, inserted and deleted ones")
    func toOne() {
        let changes = ChangeSet(
            model: 1,
            groups: [
                touched(Self.team, 1, slot: 0), touched(Self.team, 2, slot: 0),
                ChangeGroup(
                    entity: Self.person, operation: .update, primaryKeys: [7], slots: [0],
                    new: [column(.reference, [reference(2)])], old: [column(.reference, [reference(1)])]),
                ChangeGroup(
                    entity: Self.person, operation: .insert, primaryKeys: [8], slots: [0],
                    new: [column(.reference, [reference(1)])]),
                ChangeGroup(
                    entity: Self.person, operation: .delete, primaryKeys: [9], slots: [0],
                    old: [column(.reference, [reference(1)])]),
            ])
        #expect(members(changes, group: 0) == [#"people {"added":["Person/8"],"removed":["Person/7","Person/9"]}"#])
        #expect(members(changes, group: 1) == [#"people {"added":["Person/7"]}"#])
    }

    @Test("are found by links, on both sides")
    func links() {
        let link = Link(
            source: ObjectKey(entity: Self.tag, primaryKey: 3),
            destination: ObjectKey(entity: Self.person, primaryKey: 7))
        let changes = ChangeSet(
            model: 1, groups: [touched(Self.tag, 3, slot: 0), touched(Self.person, 7, slot: 2)],
            links: [LinkGroup(entity: Self.tag, slot: 0, added: [link])])
        #expect(members(changes, group: 0) == [#"people {"added":["Person/7"]}"#])
        #expect(members(changes, group: 1) == [#"tags {"added":["Tag/3"]}"#])
    }

    @Test("are no members of another object with the same key")
    func sameKey() {
        let link = Link(
            source: ObjectKey(entity: Self.tag, primaryKey: 1),
            destination: ObjectKey(entity: Self.person, primaryKey: 1))
        let changes = ChangeSet(
            model: 1, groups: [ChangeGroup(entity: Self.team, operation: .insert, primaryKeys: [1])],
            links: [LinkGroup(entity: Self.tag, slot: 0, added: [link])])
        #expect(members(changes, group: 0) == [])
    }

    @Test("whose position alone changed are a changed order")
    func order() {
        let (source, destination) = (
            ObjectKey(entity: Self.tag, primaryKey: 3), ObjectKey(entity: Self.person, primaryKey: 7)
        )
        let changes = ChangeSet(
            model: 1, groups: [touched(Self.tag, 3, slot: 0)],
            links: [
                LinkGroup(
                    entity: Self.tag, slot: 0,
                    removed: [Link(source: source, destination: destination, sourceOrder: 1)],
                    added: [Link(source: source, destination: destination, sourceOrder: 2)])
            ])
        #expect(members(changes, group: 0) == [#"people {"reordered":true}"#])
    }

    @Test("columns that keep an order are in lines that are read back, and nowhere else")
    func positions() throws {
        let change = LoggedChange(
            group: ChangeGroup(
                entity: Self.person, operation: .update, primaryKeys: [7], slots: [1],
                new: [column(.integer, [.integer(5)])], old: [column(.integer, [.integer(4)])]),
            row: 0, names: names)
        #expect(try change.json().line == #"{"operation":"update","object":"Person/7","old":{},"new":{}}"#)
        #expect(try change.json(hasPositions: true).line.contains(#""new":{"Z_ORD_team":5}"#))
    }

    @Test("a change is shown for one property alone")
    func property() throws {
        let changes = ChangeSet(
            model: 1,
            groups: [
                touched(Self.team, 1, slot: 0),
                ChangeGroup(
                    entity: Self.person, operation: .insert, primaryKeys: [8], slots: [0, 1],
                    new: [column(.reference, [reference(1)]), column(.integer, [.integer(1)])]),
            ])
        let change = LoggedChange(
            group: changes.groups[0], row: 0, names: names, members: RecordMembers(changes, names))
        #expect(change.mentions("people"))
        #expect(!change.mentions("team"))
        let person = LoggedChange(
            group: changes.groups[1], row: 0, names: names, members: RecordMembers(changes, names))
        #expect(try person.json(only: "tags").line == #"{"operation":"insert","object":"Person/8","new":{}}"#)
        #expect(try person.json(only: "team").line.hasSuffix(#""new":{"team":"Team/1"}}"#))
    }
}
