import Firn
import FirnImport
import FirnModel
import FirnSQLite
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Damaged stores of Apple's. What is imported is opened.
@Suite("Mutated stores for an import")
struct MutatedImportConformanceTests {
    private static let history = OldStore.rows + """
        INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'me'), (2, 16003, 1, 'org.example');
        INSERT INTO ATRANSACTION VALUES (1, 16002, 1, 1, 2, NULL, NULL, 700000000, NULL, NULL, NULL, NULL, NULL),
          (2, 16002, 1, NULL, 2, NULL, NULL, 700000001, 'you', NULL, NULL, NULL, NULL);
        INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 4, 1, 1, NULL, NULL), (2, 16001, 1, 1, 4, 1, 2, x'FF00', NULL),
          (3, 16001, 1, 2, 4, 9, 2, NULL, 'gone'), (4, 16001, 1, 0, 5, 1, 1, NULL, NULL);
        """

    /// Damages the store by `body`, imports it, and opens what comes of it.
    private func check(
        _ kind: String, _ old: URL, _ target: URL, _ model: URL?, _ body: (inout Mutations, Data) throws -> Void
    ) throws {
        let original = try Data(contentsOf: old)
        var mutations = Mutations(kind)
        let silent = mutations.run { mutations in
            try original.write(to: old)
            for suffix in ["-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: old.path + suffix)
            }
            for suffix in ["", "-wal", "-shm", "-log"] {
                try? FileManager.default.removeItem(atPath: target.path + suffix)
            }
            try body(&mutations, original)
            _ = try AppleStoreImport(from: old, to: target, modelURL: model).run()
            _ = try ImportedStore(target).objects()
        }
        #expect(silent == [])
    }

    private func check(_ kind: String, _ body: (OldStore, inout Mutations, Data) throws -> Void) throws {
        let old = try OldStore(Self.history)
        try old.addExternal("FILE", Data([1, 2, 3]))
        _ = try AppleStoreImport(from: old.url, to: old.target, modelURL: old.modelURL).run()
        try check(kind, old.url, old.target, old.modelURL) { try body(old, &$0, $1) }
    }

    @Test("m.15 mutations of the bytes of Apple's store are refused or imported, and never crash")
    func bytes() throws {
        try check("Apple's store, bytes") { try Data($1.mutated([UInt8]($2))).write(to: $0.url) }
    }

    @Test("m.15 Apple's store with other values in its cells is refused or imported, and never crashes")
    func cells() throws { try check("Apple's store, cells") { old, mutations, _ in
        try MutatedCells.change(old.url, &mutations)
    } }

    @Test("m.15 mutations of a value's file beside Apple's store are refused or imported, and never crash")
    func files() throws {
        try check("Apple's external data") { old, mutations, _ in
            try old.addExternal("FILE", Data(mutations.mutated([1, 2, 3])))
        }
    }

    @Test("m.15 mutations of the model that Apple's store carries are refused or imported, and never crash")
    func carriedModel() throws {
        let model = ArchivedModel.note([("body", 1000, 4), ("title", 700, 16)])
        let old = try SmallStore(
            ["Note"], carried: model,
            """
            CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBODY BLOB, ZTITLE VARCHAR);
            INSERT INTO ZNOTE VALUES (1, 1, 1, x'01AABB', 'row'), (2, 1, 1, x'0246494C4500', 'file');
            """)
        let folder = old.directory.file(".Old_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([9, 8, 7]).write(to: folder.appending(path: "FILE"))
        try check("Apple's carried model", old.url, old.target, nil) { mutations, _ in
            let bytes = mutations.mutated(model)
            let connection = try Connection(.file(old.url.path), mode: .readWrite)
            try connection.withStatement("UPDATE Z_MODELCACHE SET Z_CONTENT = ?") {
                try $0.bind(bytes, at: 1)
                try $0.run()
            }
        }
    }
}
