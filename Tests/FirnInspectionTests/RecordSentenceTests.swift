import FirnInspection
import FirnLog
import Testing

@Suite("A record in words")
struct RecordSentenceTests {
    private static let book = EntityNumber(1)
    private static let author = EntityNumber(2)

    private static let names = ModelNames(
        LogModel(entities: [
            LogEntity(
                number: book, name: "Book", parent: nil,
                properties: [
                    LogProperty(name: "pages", kind: .attribute(.integer64)),
                    LogProperty(name: "title", kind: .attribute(.string)),
                    LogProperty(name: "author", kind: .toOne(destination: author)),
                    LogProperty(name: "Z_ORD_author", kind: .position(toOne: 2)),
                    LogProperty(name: "price", kind: .attribute(.integer64)),
                    LogProperty(name: "year", kind: .attribute(.integer64)),
                    LogProperty(name: "weight", kind: .attribute(.integer64)),
                ]),
            LogEntity(
                number: author, name: "Author", parent: nil,
                properties: [
                    LogProperty(
                        name: "books",
                        kind: .toMany(destination: book, inverse: 2, isOrdered: true, isCanonical: false)),
                    LogProperty(name: "name", kind: .attribute(.string)),
                ]),
        ]))

    @Test("an object is named by the attribute that its entity's user info says, also for a subentity")
    func displayName() {
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Work" isAbstract="YES">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="shelfmark" optional="YES" attributeType="String"/>
                    <userInfo><entry key="displayName" value="shelfmark"/></userInfo>
                </entity>
                <entity name="Map" parentEntity="Work"/>
            </model>

            """
        let properties = ["name", "shelfmark"].map { LogProperty(name: $0, kind: .attribute(.string)) }
        let (work, map) = (EntityNumber(1), EntityNumber(2))
        let names = ModelNames(
            LogModel(
                entities: [
                    LogEntity(number: work, name: "Work", parent: nil, properties: properties),
                    LogEntity(number: map, name: "Map", parent: work, properties: properties),
                ], document: Array(document.utf8)))
        let group = ChangeGroup(
            entity: map, operation: .insert, primaryKeys: [1], slots: [0, 1],
            new: [column(.text, [.text("Ostia")]), column(.text, [.text("K 7")])])
        let sentence = RecordSentence(ChangeSet(model: 1, groups: [group]), names) { _, _ in nil }
        #expect(sentence.text == "created Map/1 “K 7”")
    }

    private func column(_ type: StorageType, _ values: [PropertyValue]) -> Column {
        var column = Column(type)
        for value in values { column.append(value) }
        return column
    }

    private struct Value {
        let slot: UInt16
        var old: PropertyValue?
        var new: PropertyValue?

        static func title(old: String? = nil, new: String? = nil) -> Value {
            Value(slot: 1, old: old.map { .text($0) }, new: new.map { .text($0) })
        }
    }

    private func change(_ operation: ChangeGroup.Operation, _ keys: [Int64], _ values: [Value]) -> ChangeGroup {
        func columns(_ values: [PropertyValue?]) -> [Column] {
            values.compactMap { $0 }.map { value in
                let type: StorageType =
                    switch value {
                    case .text: .text
                    case .reference: .reference
                    default: .integer
                    }
                return column(type, keys.map { _ in value })
            }
        }
        return ChangeGroup(
            entity: Self.book, operation: operation, primaryKeys: keys, slots: values.map(\.slot),
            new: columns(values.map(\.new)), old: columns(values.map(\.old)))
    }

    private func sentence(_ groups: ChangeGroup..., title: String? = nil) -> String {
        RecordSentence(ChangeSet(model: SequenceNumber(1), groups: groups), Self.names) { _, slot in
            slot == 1 ? title.map { .text($0) } : nil
        }.text
    }

    @Test("names a new object by its title")
    func created() {
        #expect(sentence(change(.insert, [7], [.title(new: "Emma")])) == "created Book/7 “Emma”")
    }

    @Test("names a deleted object by the title that it had")
    func deleted() {
        #expect(sentence(change(.delete, [7], [.title(old: "Emma")])) == "deleted Book/7 “Emma”")
    }

    @Test("says what a value was and is, of an object that the record does not name")
    func changed() {
        let update = change(.update, [7], [Value(slot: 0, old: .integer(300), new: .integer(310))])
        #expect(sentence(update, title: "Emma") == "changed Book/7 “Emma”: pages 300 → 310")
        #expect(sentence(update) == "changed Book/7: pages 300 → 310")
    }

    @Test("names the objects that an object was related to, and its members, by the values that they have")
    func related() {
        var touched = Column(.none)
        touched.appendTouched()
        func reference(_ key: Int64) -> PropertyValue { .reference(ObjectKey(entity: Self.author, primaryKey: key)) }
        let update = change(.update, [7], [Value(slot: 2, old: reference(1), new: reference(2))])
        let owner = ChangeGroup(
            entity: Self.author, operation: .update, primaryKeys: [2], slots: [0], new: [touched])
        let titles = [1: "Eliot", 2: "Austen", 7: "Emma"] as [Int64: String]
        let text = RecordSentence(ChangeSet(model: 1, groups: [update, owner]), Self.names) { key, slot in
            slot == 1 ? titles[key.primaryKey].map { .text($0) } : nil
        }.text
        let changed = [
            "changed Book/7 “Emma”: author Author/1 “Eliot” → Author/2 “Austen”",
            "changed Author/2 “Austen”: books + Book/7 “Emma”",
        ]
        #expect(text == changed.joined(separator: "; "))
    }

    @Test("leaves out properties that were saved as they were")
    func same() {
        let values = [
            Value(slot: 0, old: .integer(1), new: .integer(1)), Value(slot: 4, old: .integer(1), new: .integer(2)),
        ]
        #expect(sentence(change(.update, [7], values)) == "changed Book/7: price 1 → 2")
    }

    @Test("names three properties, and counts the others")
    func manyProperties() {
        let values = [0, 4, 5, 6].map { slot in Value(slot: slot, old: .integer(1), new: .integer(2)) }
        #expect(
            sentence(change(.update, [7], values))
                == "changed Book/7: pages 1 → 2, price 1 → 2, year 1 → 2 and 1 more")
    }

    @Test("says of an ordered relationship's member that its position changed")
    func position() {
        let update = change(.update, [7], [Value(slot: 3, old: .integer(1), new: .integer(2))])
        #expect(sentence(update) == "changed Book/7: author position changed")
    }

    @Test("says each thing that happened to few objects")
    func few() {
        #expect(
            sentence(
                change(.delete, [1], [.title(old: "Emma")]), change(.insert, [2, 3], [.title(new: "Walden")]))
                == "created Book/2 “Walden”; created Book/3 “Walden”; deleted Book/1 “Emma”")
    }

    @Test("counts many objects")
    func many() {
        #expect(
            sentence(
                change(.insert, [2, 3, 4], [.title(new: "Walden")]), change(.delete, [1], [.title(old: "Emma")]))
                == "created 3 Book; deleted 1 Book")
    }

    @Test("cuts long titles")
    func long() {
        let title = String(repeating: "a", count: 41)
        #expect(
            sentence(change(.insert, [7], [.title(new: title)])) == "created Book/7 “\(title.dropLast())…”")
    }
}
