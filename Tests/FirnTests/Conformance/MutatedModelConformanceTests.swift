import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

/// Damaged model files load or are an error, and never stop the process.
@Suite("Mutated model files")
struct MutatedModelConformanceTests {
    private static let xml: [UInt8] = Array(
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="1" \
        userDefinedModelVersionIdentifier="1">
            <entity name="Person" representedClassName="Person" syncable="YES" isAbstract="NO" elementID="Human">
                <attribute name="name" optional="YES" attributeType="String" minValueString="1" \
        regularExpressionString="[a-z]*" defaultValueString="Ada"/>
                <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="1"/>
                <attribute name="age" attributeType="Integer 16" minValueString="0" maxValueString="150" \
        defaultValueString="7" usesScalarValueType="YES"/>
                <attribute name="home" optional="YES" attributeType="Composite" composite="Place"/>
                <attribute name="upper" optional="YES" attributeType="String" derived="YES" \
        derivationExpression="uppercase:(name)"/>
                <relationship name="pets" optional="YES" toMany="YES" minCount="0" maxCount="5" ordered="YES" \
        deletionRule="Cascade" destinationEntity="Pet" inverseName="owner" inverseEntity="Pet"/>
                <fetchedProperty name="old" optional="YES"><fetchRequest name="r" entity="Pet" \
        predicateString="name == $FETCH_SOURCE.name"/></fetchedProperty>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/>\
        </fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>\
        </uniquenessConstraints>
                <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <entity name="Pet" representedClassName=".Pet" parentEntity="Person">
                <relationship name="owner" maxCount="1" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="pets" inverseEntity="Person"/>
            </entity>
            <composite name="Place"><attribute name="city" optional="YES" attributeType="String"/></composite>
            <configuration name="Local"><memberEntity name="Person"/></configuration>
            <fetchRequest name="all" entity="Person" predicateString="age &gt; 3 AND name BEGINSWITH[c] &quot;A&quot;"/>
        </model>
        """.utf8)

    /// Loads each mutation, and does with what loads what a program does first.
    private func check(_ kind: String, _ originals: [[UInt8]]) {
        var mutations = Mutations(kind, usualCount: 300)
        let silent = mutations.run(originals) { bytes in
            let model = try NSManagedObjectModel.load(document: bytes, name: "M").model
            #expect(model.xcdatamodelContents().isEmpty == false, "\(kind), \(SeededGenerator())")
            #expect(model.entityVersionHashesByName.count == model.entities.count, "\(kind), \(SeededGenerator())")
            try FirstUse.open(model)
        }
        #expect(silent == [])
    }

    @Test("m.15 mutations of a model's XML are refused or load, and never crash")
    func xmlFiles() throws {
        _ = try NSManagedObjectModel.load(document: Self.xml, name: "M")
        check("model XML", [Self.xml])
    }

    @Test("m.15 mutations of models that were compiled here are refused or load, and never crash")
    func ownFiles() throws {
        check("own model", [try NSManagedObjectModel.load(document: Self.xml, name: "M").model.xcdatamodelContents()])
    }

    @Test("m.15 mutations of archived models, binary and XML, are refused or load, and never crash")
    func archives() {
        let attributes: [(String, Int64, Int64)] = [("title", 700, 16), ("body", 1000, 4), ("count", 300, 0)]
        check("archived model", [ArchivedModel.note(attributes), ArchivedModel.note(attributes, inXML: true)])
    }

    @Test("m.15 mutations of models that Xcode compiled are refused or load, and never crash", .needsCorpus)
    func compiledFiles() throws {
        let files = Corpus.urls(below: "compiled", withExtension: "momd").flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix("mom") }
                .sorted().map { folder.appending(path: $0) }
        }
        check("compiled model", try files.map { [UInt8](try Data(contentsOf: $0)) })
    }
}
