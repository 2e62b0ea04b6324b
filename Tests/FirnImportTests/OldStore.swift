import FirnImport
import FirnSQLite
import Foundation
import TestSupport

/// A store in the shape that Apple's Core Data gives its files, made with SQL, of what the corpus has no example:
///
///     Folder 1 ──notes──▶▶ Note    ordered; Archive 2 and SmartFolder 3 are folders with a `rule` each
///     Note 4  ◀◀─tags──▶▶ Tag 5    ordered on the note's side
///     Note    ◀◀─friends─▶▶ Note   its own inverse
///     Tag      ──favourites▶▶ Note  without an inverse
///     Note     title (kept after deletion), body (may be in a file), created, number, price, place (composite)
final class OldStore {
    let directory: TemporaryDirectory
    var url: URL { directory.file("Old.sqlite") }
    var modelURL: URL { directory.file("Notes.xcdatamodel") }
    var target: URL { directory.file("New.sqlite") }
    static let identifier = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"

    /// `fill` comes after the tables. The connection stays open, so that what it writes with a journal stays there.
    init(_ fill: String = rows, pragma: String = "") throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: modelURL, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: modelURL.appending(path: "contents"))
        let connection = try Connection(.file(url.path), mode: .create)
        if !pragma.isEmpty { try connection.execute(pragma) }
        try connection.execute(Self.tables)
        try connection.withStatement("INSERT INTO Z_METADATA VALUES (1, ?, ?)") {
            let metadata: [String: Any] = ["NSStoreType": "SQLite", "owner": "Ada"]
            try $0.bind(Self.identifier, at: 1)
            try $0.bind(
                [UInt8](PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)), at: 2)
            try $0.run()
        }
        if !fill.isEmpty { try connection.execute(fill) }
        if !pragma.isEmpty { self.connection = connection }
    }

    private(set) var connection: Connection?

    /// Puts a file where values are that have files of their own.
    func addExternal(_ name: String, _ data: Data) throws {
        let folder = directory.file(".Old_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: folder.appending(path: name))
    }

    static let model = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Folder">
          <attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="notes" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify"
            destinationEntity="Note" inverseName="folder" inverseEntity="Note"/>
        </entity>
        <entity name="Archive" parentEntity="Folder">
          <attribute name="rule" optional="YES" attributeType="String"/></entity>
        <entity name="SmartFolder" parentEntity="Folder">
          <attribute name="rule" optional="YES" attributeType="String"/></entity>
        <entity name="Note">
          <attribute name="title" optional="YES" attributeType="String" preserveAfterDeletion="YES"/>
          <attribute name="body" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
          <attribute name="created" optional="YES" attributeType="Date"/>
          <attribute name="number" optional="YES" attributeType="Integer 64"/>
          <attribute name="price" optional="YES" attributeType="Decimal"/>
          <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
          <attribute name="shown" optional="YES" transient="YES" attributeType="String"/>
          <relationship name="folder" optional="YES" maxCount="1" deletionRule="Nullify"
            destinationEntity="Folder" inverseName="notes" inverseEntity="Folder"/>
          <relationship name="tags" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify"
            destinationEntity="Tag" inverseName="notes" inverseEntity="Tag"/>
          <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Note" inverseName="friends" inverseEntity="Note"/>
        </entity>
        <entity name="Tag">
          <attribute name="label" optional="YES" attributeType="String"/>
          <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Note" inverseName="tags" inverseEntity="Note"/>
          <relationship name="favourites" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Note"/>
        </entity>
        <composite name="Place">
          <attribute name="latitude" optional="YES" attributeType="Double"/>
          <attribute name="longitude" optional="YES" attributeType="Double"/>
        </composite>
        </model>
        """

    private static let tables = """
        CREATE TABLE ZFOLDER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZRULE VARCHAR,
          ZRULE1 VARCHAR);
        CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, ZFOLDER INTEGER,
          Z1_FOLDER INTEGER, Z_FOK_FOLDER INTEGER, Z5FAVOURITES INTEGER, ZCREATED TIMESTAMP, ZLATITUDE FLOAT,
          ZLONGITUDE FLOAT, ZPRICE DECIMAL, ZTITLE VARCHAR, ZBODY BLOB, ZFUTURE VARCHAR);
        CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR);
        CREATE TABLE Z_4TAGS (Z_4NOTES INTEGER, Z_5TAGS INTEGER, Z_FOK_5TAGS INTEGER, PRIMARY KEY (Z_4NOTES, Z_5TAGS));
        CREATE TABLE Z_4FRIENDS (Z_4FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_4FRIENDS, REFLEXIVE));
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
          ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
        CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
          ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
          ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
        CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        INSERT INTO Z_PRIMARYKEY VALUES (1,'Folder',0,20), (2,'Archive',1,0), (3,'SmartFolder',1,0), (4,'Note',0,9),
          (5,'Tag',0,2), (16001,'CHANGE',0,9), (16002,'TRANSACTION',0,3), (16003,'TRANSACTIONSTRING',0,4);
        """

    /// Notes 1, 2, 3 in folder 7, an archive, in the order 3, 1, 2.
    static let rows = """
        INSERT INTO ZFOLDER VALUES (7, 2, 1, 'Old', 'year', NULL), (8, 3, 1, 'New', NULL, 'today'),
          (9, 1, 1, 'Plain', NULL, NULL);
        INSERT INTO ZNOTE VALUES
          (1, 4, 3, 11, 7, 2, 3072, 1, 700000000, 48.5, 2.25, 10, 'one', x'01AABB', 'x'),
          (2, 4, 1, NULL, 7, 2, 4096, 1, 700000000.5, NULL, NULL, 0.1, 'two', x'0246494C4500', NULL),
          (3, 4, 1, -3, 7, 2, 2048, NULL, NULL, NULL, NULL, 1e20, NULL, x'00FF', NULL);
        INSERT INTO ZTAG VALUES (1, 5, 1, 'red'), (2, 5, 1, 'blue');
        INSERT INTO Z_4TAGS VALUES (1, 1, 2048), (1, 2, 1024), (2, 1, 1024);
        INSERT INTO Z_4FRIENDS VALUES (1, 2), (3, 3);
        """
}
