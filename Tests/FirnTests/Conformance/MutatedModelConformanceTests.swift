import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

/// Damaged model files load or are an error, and never stop the process. `FIRN_MODEL_MUTATIONS` is the number of
/// mutations of each kind of file.
@Suite("Mutated model files")
struct MutatedModelConformanceTests {
    private static let count = ProcessInfo.processInfo.environment["FIRN_MODEL_MUTATIONS"].flatMap { Int($0) } ?? 300

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

    /// A few bytes changed, removed, doubled, or put in another place.
    private static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: bytes.indices, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 1...12, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4:
                let part = Array(bytes[place..<end])
                let target = Int.random(in: bytes.indices, using: &generator)
                bytes.insert(contentsOf: part, at: target)
            default: bytes[place] = UInt8.random(in: 0x80...0xFF, using: &generator)
            }
            if bytes.isEmpty { return [0] }
        }
        return bytes
    }

    /// Loads each mutation, and does with what loads what a program does first.
    private func check(_ originals: [[UInt8]]) {
        var generator = SeededGenerator()
        var loadedCount = 0
        for index in 0..<Self.count {
            let bytes = Self.mutated(originals[index % originals.count], &generator)
            guard let loaded = try? NSManagedObjectModel.load(document: bytes, name: "M") else { continue }
            loadedCount += 1
            #expect(loaded.model.xcdatamodelContents().isEmpty == false, "\(generator)")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: loaded.model)
            #expect(loaded.model.entityVersionHashesByName.count == loaded.model.entities.count, "\(generator)")
            withExtendedLifetime(coordinator) {}
        }
        #expect(loadedCount <= Self.count)
    }

    @Test("m.15 mutations of a model's XML are refused or load, and never crash")
    func xmlFiles() throws {
        _ = try NSManagedObjectModel.load(document: Self.xml, name: "M")
        check([Self.xml])
    }

    @Test("m.15 mutations of models that were compiled here are refused or load, and never crash")
    func ownFiles() throws {
        check([try NSManagedObjectModel.load(document: Self.xml, name: "M").model.xcdatamodelContents()])
    }

    @Test("m.15 mutations of archived models, binary and XML, are refused or load, and never crash")
    func archives() {
        let attributes: [(String, Int64, Int64)] = [("title", 700, 16), ("body", 1000, 4), ("count", 300, 0)]
        check([ArchivedModel.note(attributes), ArchivedModel.note(attributes, inXML: true)])
    }

    @Test("m.15 mutations of models that Xcode compiled are refused or load, and never crash", .needsCorpus)
    func compiledFiles() throws {
        let files = Corpus.urls(below: "compiled", withExtension: "momd").flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix("mom") }
                .sorted().map { folder.appending(path: $0) }
        }
        check(try files.map { [UInt8](try Data(contentsOf: $0)) })
    }
}
