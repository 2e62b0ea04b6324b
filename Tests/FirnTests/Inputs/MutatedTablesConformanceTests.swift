import Firn
import FirnModel
import FirnSQLite
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Damaged tables of a store whose log is sound.
@Suite("Mutated tables")
struct MutatedTablesConformanceTests {
    @Test(
        "m.15 mutations of the bytes of a store's tables are refused or open, and never crash",
        arguments: [false, true])
    func bytes(isReadOnly: Bool) throws {
        let folder = try StoreFolder()
        let bytes = folder.bytes("Library.sqlite")
        var mutations = Mutations("tables, bytes" + (isReadOnly ? ", read-only" : ""))
        let options = [NSReadOnlyPersistentStoreOption: NSNumber(value: isReadOnly)]
        let silent = mutations.run([bytes]) { bytes in
            try folder.restore()
            folder.removeTables()
            try Data(bytes).write(to: folder.url)
            try FirstUse.open(folder.url, Library.model(), saving: isReadOnly ? nil : "Tag", options: options)
        }
        #expect(silent == [])
    }

    @Test("m.15 tables with other values in their cells are refused or open, and never crash")
    func cells() throws {
        let folder = try StoreFolder()
        var mutations = Mutations("tables, cells")
        let silent = mutations.run { mutations in
            try folder.restore()
            try MutatedCells.change(folder.url, &mutations)
            try FirstUse.open(folder.url, Library.model(), saving: "Tag")
        }
        #expect(silent == [])
    }
}
