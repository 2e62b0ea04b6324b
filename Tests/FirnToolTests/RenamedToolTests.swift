import FirnLog
import FirnModel
import FirnProjection
import Foundation
import TestSupport
import Testing

/// Questions about a store whose entity and property were renamed by a migration.
///
///     5  model     Human was Person, fullName was name
///     6  changes   ~ Human/1 fullName
@Suite("The tool finds by its name of now what had another one")
struct RenamedToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    private static let document = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Human" representedClassName="NSManagedObject" elementID="Person">
                <attribute name="born" optional="YES" attributeType="Date"/>
                <attribute name="fullName" optional="YES" attributeType="String" elementID="name"/>
                <attribute name="isActive" optional="YES" attributeType="Boolean"/>
                <attribute name="photo" optional="YES" attributeType="Binary"/>
                <relationship name="friend" optional="YES" maxCount="1" destinationEntity="Human"/>
            </entity>
        </model>

        """

    init() throws {
        store = try SampleStore()
        let described = try NSManagedObjectModel.load(document: Array(Self.document.utf8), name: "the new model").model
        var model = StoreSchema(model: described).logModel
        let sources: [UInt16] = [0, 1, 3, 2, 4]
        let properties = sources.enumerated().map { PropertyMigration(slot: UInt16($0), source: .slot($1)) }
        model.migration = LogMigration(
            source: 1, highestNumber: SampleStore.person,
            entities: [EntityMigration(entity: SampleStore.person, properties: properties)])
        try store.append(.model(model))
        var (new, old) = (Column(.text), Column(.text))
        new.append(.text("Ada King"))
        old.append(.text("Ada Lovelace"))
        let group = ChangeGroup(
            entity: SampleStore.person, operation: .update, primaryKeys: [1], slots: [2], new: [new], old: [old])
        try store.append(.changes(ChangeSet(model: 5, groups: [group])))
    }

    @Test("blame shows a renamed property once, with its last value and the one before")
    func blame() throws {
        let result = try firn.run("blame", "--json", store.path, "Human/1")
        let names = result.lines.filter { $0.contains(#""property":"fullName""#) || $0.contains(#""property":"name""#) }
        #expect(names.count == 1, "\(result.lines) \(result.complaints)")
        #expect(names.first?.contains(#""property":"fullName","value":"Ada King","before":"Ada Lovelace""#) ?? false)
    }

    @Test("blame shows the values from before the renaming, whichever name is asked for", arguments: [
        "Human/1.fullName", "Human/1.name",
    ])
    func blameProperty(_ property: String) throws {
        let lines = try firn.run("blame", "--json", store.path, property).lines
        let values = ["Ada", "Ada Lovelace", "Ada King"]
        #expect(lines.map { line in values.first { line.contains("\"value\":\"\($0)\"") } } == values, "\(lines)")
    }

    @Test("history names the object and its property as they are called now")
    func history() throws {
        let lines = try firn.run("history", store.path, "Human/1", "--property", "fullName").lines
        #expect(lines.filter { $0.hasSuffix(" Human/1") }.count == 3, "\(lines)")
        #expect(lines.filter { $0.contains("fullName") }.count == 3)
    }

    @Test("log finds the records of before the renaming by the new and by the old name", arguments: [
        ["--property", "fullName"], ["--property", "name"], ["--entity", "Human"], ["--entity", "Person"],
        ["--entity", "Human", "--property", "fullName"],
    ])
    func log(_ arguments: [String]) throws {
        let lines = try firn.run(["log", "--json", "--oldest-first"] + arguments + [store.path]).lines
        let found = lines.compactMap { line in (1...6).first { line.hasPrefix(#"{"sequence":\#($0),"#) } }
        #expect(found == [2, 3, 4, 6])
    }

    @Test("search finds a value of a renamed property once, under its name of now")
    func search() throws {
        let lines = try firn.run("search", "--json", "--property", "fullName", store.path, "lovelace").lines
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.contains(#""object":"Human/1","property":"fullName","value":"Ada Lovelace""#) ?? false)
        let grace = try firn.run("search", "--json", "--entity", "Human", store.path, "grace").lines
        #expect(grace.contains { $0.contains(#""property":"fullName""#) }, "\(grace)")
    }

    @Test("diff names the record that touched an object last, also from before a renaming")
    func diff() throws {
        let lines = try firn.run("diff", store.path, "2", "5").lines
        #expect(lines.contains("~ Human/1  record 4, test"), "\(lines)")
    }
}
