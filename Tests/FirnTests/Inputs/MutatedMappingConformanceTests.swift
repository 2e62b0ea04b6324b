import Firn
import FirnFoundation
import FirnModel
import Foundation
import TestSupport
import Testing

/// Damaged mapping models, and files that say which version of a model is the current one.
@Suite("Mutated mapping models and version files")
struct MutatedMappingConformanceTests {
    private static let new = """
        Parcel: weight Integer32, label String, sender -> Office.parcels
        Office: city String, parcels ->> Parcel.sender
        """
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// `$source.label`, as Xcode's compiler archives it.
    private static func value(_ builder: ArchiveBuilder) -> ArchiveBuilder.Node {
        builder.object("NSKeyPathExpression", [
            ("NSOperand", builder.object("NSVariableExpression", [("NSVariable", builder.text("source"))])),
            ("NSSelectorName", builder.text("valueForKey:")),
            ("NSArguments", builder.array([
                builder.object("NSKeyPathSpecifierExpression", [("NSKeyPath", builder.text("label"))]),
            ])),
        ])
    }

    /// A call of a function of the predicate language.
    private static func call(_ builder: ArchiveBuilder) -> ArchiveBuilder.Node {
        builder.object("NSFunctionExpression", [
            ("NSSelectorName", builder.text("lowercase:")),
            ("NSOperand", builder.object("NSConstantValueExpression", [
                ("NSConstantValueClassName", builder.text("_NSPredicateUtilities")),
            ])),
            ("NSArguments", builder.array([value(builder)])),
        ])
    }

    private static func xml() -> [UInt8] {
        let builder = ArchiveBuilder()
        let expression = Data(builder.binary(value(builder))).base64EncodedString()
        return Array(
            """
            <database>
              <object type="XDDEVENTITYMAPPING" id="z1">
                <attribute name="sourcename">Parcel</attribute><attribute name="destinationname">Parcel</attribute>
                <attribute name="mappingnumber">1</attribute><attribute name="mappingtypename">Transform</attribute>
              </object>
              <object type="XDDEVATTRIBUTEMAPPING" id="z2">
                <attribute name="name">label</attribute><relationship name="entitymapping" idrefs="z1"/>
                <attribute name="valueexpressiondata" type="binary">\(expression)</attribute>
              </object>
              <object type="XDDEVRELATIONSHIPMAPPING" id="z3">
                <attribute name="name">sender</attribute><attribute name="autogenerateexpression">1</attribute>
                <attribute name="sourcekeypath">sender</attribute>
                <attribute name="sourcemappingname">OfficeToOffice</attribute>
                <relationship name="entitymapping" idrefs="z1"/>
              </object>
              <object type="XDDEVENTITYMAPPING" id="z4">
                <attribute name="sourcename">Office</attribute><attribute name="destinationname">Office</attribute>
                <attribute name="mappingnumber">2</attribute>
                <relationship name="attributemappings" idrefs="z5"/>
              </object>
              <object type="XDDEVATTRIBUTEMAPPING" id="z5">
                <attribute name="name">city</attribute><attribute name="autogenerateexpression">1</attribute>
              </object>
            </database>
            """.utf8)
    }

    private static func archive(inXML: Bool) -> [UInt8] {
        let builder = ArchiveBuilder()
        func mapping(_ entity: String, _ attribute: String, _ value: ArchiveBuilder.Node) -> ArchiveBuilder.Node {
            builder.object("NSEntityMapping", [
                ("NSMappingName", builder.text("\(entity)To\(entity)")), ("NSMappingType", .integer(5)),
                ("NSSourceEntityName", builder.text(entity)), ("NSDestinationEntityName", builder.text(entity)),
                ("NSUserInfo", builder.dictionary([("k", builder.text("v"))])),
                ("NSAttributeMappings", builder.array([
                    builder.object("NSPropertyMapping", [
                        ("NSDestinationPropertyName", builder.text(attribute)), ("NSValueExpression", value),
                    ]),
                ])),
            ])
        }
        let parts = [mapping("Parcel", "label", value(builder)), mapping("Office", "city", call(builder))]
        let root = builder.object("NSMappingModel", [("NSEntityMappings", builder.array(parts))])
        return inXML ? builder.xml(root) : builder.binary(root)
    }

    /// Loads each mutation from a file, and writes out what loads.
    private func check(_ kind: String, _ file: String, _ originals: [[UInt8]]) throws {
        let url = directory.file(file)
        try Data(originals[0]).write(to: url)
        _ = try NSMappingModel.load(contentsOf: url)
        var mutations = Mutations(kind)
        let silent = mutations.run(originals) { bytes in
            try Data(bytes).write(to: url)
            let mapping = try NSMappingModel.load(contentsOf: url)
            for entity in mapping.entityMappings {
                for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
                    _ = property.valueExpression?.description
                }
            }
            _ = (mapping.entityMappingsByName.count, mapping.hash)
        }
        #expect(silent == [])
    }

    @Test("m.15 mutations of a mapping model's XML are refused or load, and never crash")
    func xmlFiles() throws { try check("mapping XML", "xcmapping.xml", [Self.xml()]) }

    @Test("m.15 mutations of a compiled mapping model are refused or load, and never crash")
    func compiledFiles() throws {
        try check("compiled mapping", "Mapping.cdm", [Self.archive(inXML: false), Self.archive(inXML: true)])
    }

    @Test("m.15 mutations of the file that names a model's current version leave a model to load, and never crash")
    func versionFiles() throws {
        let bundle = directory.file("M.xcdatamodeld")
        for name in ["M", "M 2"] {
            let folder = bundle.appending(path: name + ".xcdatamodel")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(ModelText.model(Self.new).xcdatamodelContents()).write(to: folder.appending(path: "contents"))
        }
        let plist = ["_XCCurrentVersionName": "M.xcdatamodel"]
        let originals = try [PropertyListSerialization.PropertyListFormat.xml, .binary].map {
            [UInt8](try PropertyListSerialization.data(fromPropertyList: plist, format: $0, options: 0))
        }
        var mutations = Mutations(".xccurrentversion")
        let silent = mutations.run(originals) { bytes in
            try Data(bytes).write(to: bundle.appending(path: ".xccurrentversion"))
            _ = try NSManagedObjectModel.load(contentsOf: bundle)
        }
        #expect(silent == [])
    }

    @Test("m.15 mutations of a compiled bundle's VersionInfo.plist leave a model to load, and never crash")
    func versionInfo() throws {
        let bundle = directory.file("M.momd")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let model = try ModelText.model(Self.new)
        for name in ["M", "M 2"] {
            try Data(model.xcdatamodelContents()).write(to: bundle.appending(path: name + ".mom"))
        }
        let plist: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": "M",
            "NSManagedObjectModel_VersionHashes": ["M": model.entityVersionHashesByName, "M 2": [:]],
        ]
        let originals = try [PropertyListSerialization.PropertyListFormat.xml, .binary].map {
            [UInt8](try PropertyListSerialization.data(fromPropertyList: plist, format: $0, options: 0))
        }
        var mutations = Mutations("VersionInfo.plist")
        let silent = mutations.run(originals) { bytes in
            try Data(bytes).write(to: bundle.appending(path: "VersionInfo.plist"))
            _ = try NSManagedObjectModel.load(contentsOf: bundle)
        }
        #expect(silent == [])
    }
}
