import FirnImport
import FirnSQLite
import Foundation
import TestSupport

/// A store in the shape of Apple's, of the tables that a test says.
struct SmallStore {
    let directory: TemporaryDirectory
    var url: URL { directory.file("Old.sqlite") }
    var target: URL { directory.file("New.sqlite") }

    /// `entities` by number from 1 on, none inherits; `tables` creates and fills theirs. `carried` is the document in
    /// the store's model cache.
    init(_ entities: [String], carried: [UInt8]? = nil, _ tables: String) throws {
        directory = try TemporaryDirectory()
        let connection = try Connection(.file(url.path), mode: .create)
        try connection.execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
            INSERT INTO Z_METADATA VALUES (1, '3F2504E0-4F89-41D3-9A0C-0305E82C3301', NULL);
            """ + tables)
        for (index, name) in entities.enumerated() {
            try connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (\(index + 1), '\(name)', 0, 9)")
        }
        guard let carried else { return }
        try connection.withStatement("INSERT INTO Z_MODELCACHE VALUES (?)") {
            try $0.bind(carried, at: 1)
            try $0.run()
        }
    }

    /// Writes a model's XML beside the store.
    func model(_ name: String, _ body: String) throws -> URL {
        let folder = directory.file(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\(body)</model>"
        try Data(text.utf8).write(to: folder.appending(path: "contents"))
        return folder
    }
}
