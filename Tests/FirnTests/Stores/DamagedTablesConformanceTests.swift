import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Damaged tables")
struct DamagedTablesConformanceTests {
    private let directory: TemporaryDirectory
    private var url: URL { directory.file("Library.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func failure(_ body: () throws -> Void) throws -> NSError {
        let error = #expect(throws: NSError.self) { try body() }
        return try #require(error)
    }

    /// Leaves the first page, which says whose file it is.
    private func damage() throws {
        let size = try Data(contentsOf: url).count
        let file = try FileHandle(forWritingTo: url)
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0xAA, count: size - 4_096))
        try file.close()
    }

    @Test("m.34 that are no database are an error that names “firn rebuild”, and stay as they are")
    func noDatabase() throws {
        try Data("something else".utf8).write(to: url)
        let error = try failure { _ = try Library.onDisk(directory) }
        #expect(error.localizedDescription.contains("firn rebuild \(url.path)"))
        #expect(try Data(contentsOf: url) == Data("something else".utf8))
    }

    @Test("m.34 of a store that is opened for reading are an error that names “firn rebuild”")
    func readOnly() throws {
        try damage()
        let options = [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
        let error = try failure { _ = try Library.onDisk(directory, options: options) }
        #expect(error.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(error.localizedDescription.contains("firn rebuild \(url.path)"))
    }

    @Test("m.34 are made from the log when the store is opened for writing")
    func writing() throws {
        try damage()
        #expect(try Library.onDisk(directory).context().strings("Author", "name") == ["Ada"])
    }

    @Test("m.34 of an open store are an error of a fetch that names “firn rebuild”")
    func fetching() throws {
        let context = try Library.onDisk(directory).context()
        try damage()
        let error = try failure { _ = try context.all("Author") }
        #expect(error.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(error.localizedDescription.contains("firn rebuild \(url.path)"))
    }
}
