import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Keys of Xcode's XML, one by one.
@Suite("Keys of a mapping model's XML")
struct XcodeMappingTests {
    private static let all =
        "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Parcel\", "

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A mapping model without copies of its models, of one entity mapping.
    private func load(
        entity: String = "", attribute: String = "", relationship: String = ""
    ) throws -> NSEntityMapping {
        let xml = """
            <database>
              <object type="XDDEVENTITYMAPPING" id="z1">
                <attribute name="sourcename">Parcel</attribute><attribute name="destinationname">Parcel</attribute>
                <attribute name="mappingnumber">1</attribute>\(entity)
              </object>
              <object type="XDDEVATTRIBUTEMAPPING" id="z2">
                <attribute name="name">label</attribute>\(attribute)<relationship name="entitymapping" idrefs="z1"/>
              </object>
              <object type="XDDEVRELATIONSHIPMAPPING" id="z3">
                <attribute name="name">sender</attribute>\(relationship)<relationship name="entitymapping" idrefs="z1"/>
              </object>
            </database>
            """
        let url = directory.file("xcmapping.xml")
        try Data(xml.utf8).write(to: url)
        return try #require(try NSMappingModel.load(contentsOf: url).entityMappings.first)
    }

    private func field(_ key: String, _ text: String) -> String { "<attribute name=\"\(key)\">\(text)</attribute>" }

    private func base64(_ make: (ArchiveBuilder) -> ArchiveBuilder.Node) -> String {
        let builder = ArchiveBuilder()
        return Data(builder.binary(make(builder))).base64EncodedString()
    }

    @Test("An entity mapping that is part of no mapping model was deleted in Xcode")
    func deleted() throws {
        let names = field("sourcename", "Parcel") + field("destinationname", "Parcel")
        let xml = """
            <database>
              <object type="XDDEVMAPPINGMODEL" id="z1"><relationship name="entitymappings" idrefs="z3"/></object>
              <object type="XDDEVENTITYMAPPING" id="z2">\(names)<relationship name="mappingmodel"/></object>
              <object type="XDDEVENTITYMAPPING" id="z3">\(names + field("name", "Kept"))</object>
              <object type="XDDEVENTITYMAPPING" id="z4">\(names)<relationship name="mappingmodel" idrefs="z1"/></object>
            </database>
            """
        let url = directory.file("xcmapping.xml")
        try Data(xml.utf8).write(to: url)
        let mappings = try NSMappingModel.load(contentsOf: url).entityMappings.map(\.name)
        #expect(mappings == ["Kept", "ParcelToParcel"])
    }

    @Test("A property that the file only names has the source's value of that name")
    func onlyNames() throws {
        let mapping = try load()
        #expect(mapping.attributeMappings?.first?.valueExpression == NSExpression(forKeyPath: "$source.label"))
        let call = "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
        let value = mapping.relationshipMappings?.first?.valueExpression?.description
        #expect(value == call + "\"sender\", $source.sender)")
        #expect(mapping.sourceExpression?.description == Self.all + "\"TRUEPREDICATE\"), $manager.sourceContext, NO)")
    }

    @Test(
        "A key path may begin at the source object, be the source object, or be relative to it",
        arguments: [
            ("$source.sender", "$source.sender"), ("$source", "$source"), ("sender", "$source.sender"),
            ("$source.parts.@distinctUnionOfSets.items", "$source.parts.@distinctUnionOfSets.items"),
            ("$entityMapping.userInfo", "$entityMapping.userInfo"), ("$source.", "$source"), ("$", "$"),
        ])
    func keyPaths(path: String, expected: String) throws {
        let attribute = try load(attribute: field("sourcekeypath", path))
        #expect(attribute.attributeMappings?.first?.valueExpression?.description == expected)
        let relationship = try load(
            relationship: field("sourcekeypath", path) + field("sourcemappingname", "OfficeToOffice"))
        #expect(
            relationship.relationshipMappings?.first?.valueExpression?.description
                == "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
                + "\"OfficeToOffice\", \(expected))")
    }

    @Test("A filter is the predicate of the source objects, with the escapes of XML stores")
    func filter() throws {
        let mapping = try load(entity: field("sourcefilterpredicatestring", "weight \\u3c00 7 &amp;&amp; label != nil"))
        #expect(
            mapping.sourceExpression?.description
                == Self.all + "\"weight < 7 && label != nil\"), $manager.sourceContext, NO)")
    }

    @Test("A filter that is no predicate is an error with its line")
    func badFilter() throws {
        let error = #expect(throws: ModelFileError.self) {
            try self.load(entity: self.field("sourcefilterpredicatestring", "weight &gt;"))
        }
        #expect(error?.issues.first?.line == 2)
        #expect(error?.description.contains("the filter 'weight >' of 'ParcelToParcel' is no predicate") == true)
    }

    @Test("An archived expression gives the source objects; a filter wins if Xcode makes the expression")
    func sourceExpression() throws {
        let archived = field(
            "sourceexpressiondata", base64 { $0.object("NSVariableExpression", [("NSVariable", $0.text("mine"))]) })
        let filter = field("sourcefilterpredicatestring", "weight = 7")
        #expect(try load(entity: archived).sourceExpression?.description == "$mine")
        #expect(try load(entity: archived + filter).sourceExpression?.description == "$mine")
        let generated = try load(entity: archived + filter + field("autogenerateexpression", "1"))
        #expect(generated.sourceExpression?.description == Self.all + "\"weight = 7\"), $manager.sourceContext, NO)")
    }

    @Test("User info is read, of entity and property mappings")
    func userInfo() throws {
        let info = field("userinfodata", base64 { $0.dictionary([("step", $0.text("4"))]) })
        let mapping = try load(entity: info, attribute: info, relationship: info)
        #expect(mapping.userInfo as? [String: String] == ["step": "4"])
        #expect(mapping.attributeMappings?.first?.userInfo as? [String: String] == ["step": "4"])
        #expect(mapping.relationshipMappings?.first?.userInfo as? [String: String] == ["step": "4"])
    }

    @Test(
        "The source objects of a mapping in code may be a fetch, as public code writes it, or a request",
        arguments: [
            "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Item\", \"n < 3\"), "
                + "FUNCTION($manager, \"sourceContext\"), NO)",
            "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Item\", \"n < 3\"), "
                + "$manager.sourceContext, NO)",
            "FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Item\", \"n < 3\")",
        ])
    func sources(format: String) throws {
        let store = try MigratingStore()
        try store.with("Item: n Integer16") { context in (1...5).forEach { _ = context.make("Item", ["n": $0]) } }
        let models = try ["Item: n Integer16", "Item: n Integer16, m String"].map(ModelText.model)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: models[0], destinationModel: models[1])
        mapping.entityMappings[0].sourceExpression = NSExpression(format: format)
        let target = directory.file("New.sqlite")
        try NSMigrationManager(sourceModel: models[0], destinationModel: models[1])
            .migrateStore(from: store.url, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: models[1])
        try coordinator.addPersistentStore(type: .sqlite, at: target)
        let context = coordinator.context()
        #expect(try Set(context.all("Item").map { $0.value(forKey: "n") as? Int }) == [1, 2])
        withExtendedLifetime(context) {}
    }
}
