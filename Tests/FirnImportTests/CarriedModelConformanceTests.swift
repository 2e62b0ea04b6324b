import Firn
import FirnImport
import FirnModel
import Foundation
import TestSupport
import Testing

/// What an import takes from the model, whether the store carries it or a bundle has it.
@Suite("Models of stores that Apple wrote")
struct CarriedModelConformanceTests {
    /// Two notes: data in the row, and data in the file `FILE`.
    private func notes() throws -> SmallStore {
        try SmallStore(
            ["Note"], carried: ArchivedModel.note([("body", 1000, 4), ("title", 700, 16)]),
            """
            CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBODY BLOB, ZTITLE VARCHAR);
            INSERT INTO ZNOTE VALUES (1, 1, 1, x'01AABB', 'row'), (2, 1, 1, x'0246494C4500', 'file');
            """)
    }

    @Test("m.8a the model that a store carries says which data may be in files, so that the files are read")
    func externalData() throws {
        let old = try notes()
        let folder = old.directory.file(".Old_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([9, 8, 7]).write(to: folder.appending(path: "FILE"))
        let report = try AppleStoreImport(from: old.url, to: old.target).run()
        let found = try ImportedStore(old.target).objects()
        #expect(report.externalValueCount == 1)
        #expect(found["Note/p1"]?["body"] == "data " + Data([0xAA, 0xBB]).base64EncodedString())
        #expect(found["Note/p2"]?["body"] == "data " + Data([9, 8, 7]).base64EncodedString())
    }

    @Test("m.8a a missing file is an error with the model that the store carries too")
    func missingFile() throws {
        let old = try notes()
        let error = #expect(throws: AppleStoreError.self) {
            try AppleStoreImport(from: old.url, to: old.target).run()
        }
        #expect(error?.code == .missingExternalData)
    }

    @Test("m.8a a compiled model keeps each flag of an attribute", arguments: [false, true])
    func flags(inXML: Bool) throws {
        let document = ArchivedModel.note(
            [("plain", 1000, 0), ("external", 1000, 4), ("kept", 700, 16), ("both", 1000, 20)], inXML: inXML)
        let directory = try TemporaryDirectory()
        let file = directory.file("Notes.mom")
        try Data(document).write(to: file)
        let note = try #require(NSManagedObjectModel(contentsOf: file)?.entitiesByName["Note"])
        let external = note.attributesByName.filter(\.value.allowsExternalBinaryDataStorage).keys
        let kept = note.attributesByName.filter(\.value.preservesValueInHistoryOnDeletion).keys
        #expect(Set(external) == ["external", "both"])
        #expect(Set(kept) == ["kept", "both"])
    }

    private static let galleries = """
        <entity name="Artist"><relationship name="works" optional="YES" toMany="YES" deletionRule="Nullify"
          destinationEntity="Work" inverseName="artists" inverseEntity="Work"/></entity>
        <entity name="Gallery"><relationship name="works" optional="YES" toMany="YES" ordered="YES"
          deletionRule="Nullify" destinationEntity="Work" inverseName="galleries" inverseEntity="Work"/></entity>
        <entity name="Work">
          <relationship name="artists" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Artist" inverseName="works" inverseEntity="Artist"/>
          <relationship name="galleries" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Gallery" inverseName="works" inverseEntity="Gallery"/></entity>
        """

    @Test("m.8b link columns of two relationships of one name to one entity are counted, and found")
    func countedColumns() throws {
        let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
        let old = try SmallStore(
            ["Artist", "Gallery", "Work"],
            """
            CREATE TABLE ZARTIST (\(head)); CREATE TABLE ZGALLERY (\(head)); CREATE TABLE ZWORK (\(head));
            CREATE TABLE Z_1WORKS (Z_1ARTISTS INTEGER, Z_3WORKS INTEGER);
            CREATE TABLE Z_2WORKS (Z_2GALLERIES INTEGER, Z_3WORKS1 INTEGER, Z_FOK_3WORKS1 INTEGER);
            INSERT INTO ZARTIST VALUES (1, 1, 1); INSERT INTO ZGALLERY VALUES (1, 2, 1);
            INSERT INTO ZWORK VALUES (1, 3, 1), (2, 3, 1), (3, 3, 1);
            INSERT INTO Z_1WORKS VALUES (1, 1);
            INSERT INTO Z_2WORKS VALUES (1, 3, 1024), (1, 2, 2048);
            """)
        let model = try old.model("Works.xcdatamodel", Self.galleries)
        let report = try AppleStoreImport(from: old.url, to: old.target, modelURL: model).run()
        let found = try ImportedStore(old.target).objects()
        #expect(report.linkCount == 3)
        #expect(found["Artist/p1"]?["works"] == "Work/p1")
        #expect(found["Gallery/p1"]?["works"] == "Work/p3 Work/p2")
    }

    @Test("m.8b a version that does not load, and a damaged VersionInfo, keep no store of another version out")
    func brokenVersion() throws {
        let old = try SmallStore(
            ["Note"],
            """
            CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBODY BLOB, ZTITLE VARCHAR);
            INSERT INTO ZNOTE VALUES (1, 1, 1, NULL, 'one');
            """)
        let bundle = old.directory.file("Notes.momd")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try Data("no model".utf8).write(to: bundle.appending(path: "A.mom"))
        let orphan = "<model><entity name=\"X\" parentEntity=\"Y\"/></model>"
        try Data(orphan.utf8).write(to: bundle.appending(path: "B.mom"))
        try Data(ArchivedModel.note([("body", 1000, 4), ("title", 700, 0)])).write(to: bundle.appending(path: "C.mom"))
        try Data("no list <".utf8).write(to: bundle.appending(path: "VersionInfo.plist"))
        _ = try AppleStoreImport(from: old.url, to: old.target, modelURL: bundle).run()
        #expect(try ImportedStore(old.target).objects()["Note/p1"]?["title"] == "text one")
    }
}
