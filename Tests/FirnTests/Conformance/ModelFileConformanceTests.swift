import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Model files as programs meet them.
@Suite("Model files")
struct ModelFileConformanceTests {
    private static func load(_ body: String) throws -> LoadedModel {
        try NSManagedObjectModel.load(document: Array("<model>\(body)</model>".utf8), name: "M")
    }

    private static let inconsistent = """
        <entity name="A"><relationship name="b" optional="YES" maxCount="1" deletionRule="Nullify"
          destinationEntity="B" inverseName="a" inverseEntity="B"/></entity>
        <entity name="B"><relationship name="a" optional="YES" maxCount="1" deletionRule="Nullify"
          destinationEntity="A" inverseName="other" inverseEntity="A"/></entity>
        """

    @Test("m.27b an inconsistent inverse is a warning with its line, and the model loads and works")
    func inconsistentInverse() throws {
        let body = Self.inconsistent.replacing(
            "<entity name=\"A\">",
            with: """
                <entity name="A"><relationship name="other" optional="YES" maxCount="1" deletionRule="Nullify"
                  destinationEntity="B" inverseName="a" inverseEntity="B"/>
                """)
        let loaded = try Self.load(body)
        #expect(loaded.warnings.map(\.severity) == [.warning])
        let message = loaded.warnings.first?.message ?? ""
        #expect(message.contains("A.b: has the inverse 'B.a', whose own inverse is 'other'"))
        #expect(loaded.warnings.first.map { $0.line > 0 } == true)
        let a = try #require(loaded.model.entitiesByName["A"])
        #expect(a.relationshipsByName["b"]?.inverseRelationship == nil)
        #expect(a.relationshipsByName["other"]?.inverseRelationship?.name == "a")
        let context = try Library.inMemory(loaded.model).context()
        let (first, second) = (context.make("A"), context.make("B"))
        first.setValue(second, forKey: "b")
        try context.save()
        #expect(first.value(forKey: "b") as? NSManagedObject === second)
        #expect(second.value(forKey: "a") == nil)
    }

    @Test("m.27b the binary form of Xcode 3 is an error that says what it is and what to do")
    func oldForm() throws {
        let directory = try TemporaryDirectory()
        let model = directory.file("Old.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data("bplist00".utf8).write(to: model.appending(path: "elements"))
        let error = #expect(throws: ModelFileError.self) { try NSManagedObjectModel.load(contentsOf: model) }
        #expect(error?.description.contains("before version 4") == true)
        #expect(error?.description.contains("save it in a newer Xcode") == true)
    }

    @Test("m.27b a compiled model may be a property list in XML")
    func xmlList() throws {
        let attributes: [(String, Int64, Int64)] = [("title", 700, 16), ("body", 1000, 4), ("count", 300, 0)]
        let binary = try NSManagedObjectModel.load(document: ArchivedModel.note(attributes), name: "M").model
        let xml = try NSManagedObjectModel.load(document: ArchivedModel.note(attributes, inXML: true), name: "M").model
        #expect(xml == binary)
        #expect(xml.entitiesByName["Note"]?.attributesByName.count == 3)
    }

    @Test("m.27b a property list that is no compiled model is an error that says what it is")
    func otherList() throws {
        let builder = ArchiveBuilder()
        let bytes = builder.xml(builder.object("XDPMModel"))
        let error = #expect(throws: ModelFileError.self) { try NSManagedObjectModel.load(document: bytes, name: "M") }
        #expect(error?.description.contains("XDPMModel") == true)
    }

    @Test("m.27b an entity of a model in use has the version hash that it had before")
    func hashes() throws {
        let text = "Animal: name String\nDog < Animal: barks Boolean\nPuppy < Dog: age Integer16"
        let (model, other) = (try ModelText.model(text), try ModelText.model(text))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(model.entityVersionHashesByName == other.entityVersionHashesByName)
        for (name, entity) in other.entitiesByName {
            #expect(entity.versionHash == model.entitiesByName[name]?.versionHash)
        }
        withExtendedLifetime(coordinator) {}
    }

    @Test(
        "m.15 bytes that are no UTF-8 are an error with the line, in a name and in a value",
        arguments: ["<model>\n<entity na\u{1}me=\"A\"/></model>", "<model>\n<entity name=\"\u{1}\"/></model>"])
    func invalidBytes(text: String) throws {
        let bytes = Array(text.utf8).map { $0 == 1 ? 0xFF : $0 }
        let error = #expect(throws: ModelFileError.self) { try NSManagedObjectModel.load(document: bytes, name: "M") }
        #expect(error?.issues.map(\.line) == [2])
        #expect(error?.description.contains("UTF-8") == true)
    }

    private static func chain(_ count: Int) throws -> NSManagedObjectModel {
        var body = "<entity name=\"E0\"><attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/></entity>"
        for index in 1..<count { body += "<entity name=\"E\(index)\" parentEntity=\"E\(index - 1)\"/>" }
        return try load(body).model
    }

    @Test("m.15 an inheritance chain of 3,000 loads and is used, each entity with a version hash of its own")
    func longChain() throws {
        let model = try Self.chain(3_000)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(Set(model.entityVersionHashesByName.values).count == 3_000)
        #expect(model.entitiesByName["E2999"]?.attributesByName.keys.map { $0 } == ["name"])
        withExtendedLifetime(coordinator) {}
    }

    @Test("m.15 a store of an inheritance chain of 1,000 keeps in its last entity what the first declares")
    func longChainInStore() throws {
        let context = try Library.inMemory(Self.chain(1_000)).context()
        context.make("E999").setValue("last", forKey: "name")
        try context.save()
        let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "E0"))
        #expect(found.map { $0.entity.name } == ["E999"])
        #expect(found.first?.value(forKey: "name") as? String == "last")
    }

    @Test("m.15 thousands of entities below one, and with it, load and are compared with an older version")
    func manyEntities() throws {
        func body(_ count: Int) -> String {
            var body = "<entity name=\"Root\"/>"
            for index in 0..<count {
                let parent = index.isMultiple(of: 2) ? " parentEntity=\"Root\"" : ""
                body += "<entity name=\"E\(index)\"\(parent)>"
                    + "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/></entity>"
            }
            return body
        }
        let (old, new) = (try Self.load(body(2_990)).model, try Self.load(body(3_000)).model)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
        #expect(new.entitiesByName["Root"]?.subentities.count == 1_500)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        #expect(mapping.entityMappings.filter { $0.mappingType == .addEntityMappingType }.count == 10)
        withExtendedLifetime(coordinator) {}
    }
}
