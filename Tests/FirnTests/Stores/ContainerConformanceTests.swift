import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: containers and store descriptions")
struct ContainerConformanceTests {
    let directory: TemporaryDirectory
    var url: URL { directory.file("Library.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func container(_ descriptions: NSPersistentStoreDescription...) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        container.persistentStoreDescriptions = descriptions
        return container
    }

    @Test("h.17 each description is told of, with its error if it has one")
    func loading() {
        let sound = NSPersistentStoreDescription(url: url)
        let broken = NSPersistentStoreDescription(url: directory.file("no/such/Library"))
        let container = container(sound, broken)
        var told: [(NSPersistentStoreDescription, Int?)] = []
        container.loadPersistentStores { told.append(($0, ($1 as NSError?)?.code)) }
        #expect(told.map(\.0) == [sound, broken])
        #expect(told.map(\.1) == [nil, NSPersistentStoreOpenError])
        #expect(container.persistentStoreCoordinator.persistentStores.map(\.url) == [url])
    }

    @Test("h.17 a store is loaded in the background if the description says so")
    func background() async throws {
        let description = NSPersistentStoreDescription(url: url)
        description.shouldAddStoreAsynchronously = true
        let container = container(description)
        let thread = await withCheckedContinuation { continuation in
            container.loadPersistentStores { _, error in
                continuation.resume(returning: error == nil ? Thread.isMainThread : nil)
            }
        }
        #expect(thread == false)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test("h.17 properties of a description are options, and options its properties")
    func options() {
        let description = NSPersistentStoreDescription(url: url)
        #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
        #expect(description.timeout == 240)
        description.setOption(NSNumber(value: true), forKey: NSReadOnlyPersistentStoreOption)
        description.setOption(NSNumber(value: false), forKey: NSMigratePersistentStoresAutomaticallyOption)
        #expect(description.isReadOnly && !description.shouldMigrateStoreAutomatically)
        description.timeout = 3
        description.setValue(NSString(string: "2000"), forPragmaNamed: "cache_size")
        #expect(description.options[NSPersistentStoreTimeoutOption] == NSNumber(value: 3))
        let copy = description.copy() as? NSPersistentStoreDescription
        #expect(copy?.options == description.options)
        #expect(copy?.sqlitePragmas == ["cache_size": NSString(string: "2000")])
    }

    @Test("h.17 a store on disk that is read only is read, and refuses a save; where none is, none is made")
    func readOnly() throws {
        let description = NSPersistentStoreDescription(url: url)
        description.isReadOnly = true
        container(description).loadPersistentStores { #expect(($1 as NSError?)?.code == NSPersistentStoreOpenError) }
        let writer = try Library.onDisk(directory).context()
        _ = writer.make("Author", ["name": "Ada"])
        try writer.save()
        let container = container(description)
        container.loadPersistentStores { #expect($1 == nil) }
        let context = container.newBackgroundContext()
        #expect(try context.strings("Author", "name") == ["Ada"])
        _ = context.make("Author")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSFileWriteNoPermissionError)
    }

    @Test("h.17 pragmas that are the store's own matter change nothing; what is no word or number is refused")
    func refusedPragmas() throws {
        let description = NSPersistentStoreDescription(url: url)
        description.setValue(NSString(string: "DELETE"), forPragmaNamed: "journal_mode")
        description.setValue(NSNumber(value: 77), forPragmaNamed: "user_version")
        for _ in 0..<2 {
            let container = container(description)
            container.loadPersistentStores { #expect($1 == nil) }
        }
        // 2 is for a write-ahead log: https://www.sqlite.org/fileformat2.html
        #expect(try [UInt8](Data(contentsOf: url))[18] == 2)
        let bad = NSPersistentStoreDescription(url: directory.file("Other.sqlite"))
        bad.setValue(NSString(string: "1; DROP TABLE Author"), forPragmaNamed: "cache_size")
        container(bad).loadPersistentStores { #expect(($1 as NSError?)?.code == NSPersistentStoreOpenError) }
    }
}
