import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Damaged binary stores: their bytes, and the values of a list that is whole.
@Suite("Mutated binary stores")
struct MutatedBinaryStoreConformanceTests {
    private let directory: TemporaryDirectory
    private var url: URL { directory.file("Library.binary") }
    private let original: [UInt8]

    init() throws {
        directory = try TemporaryDirectory()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let store = try coordinator.addPersistentStore(type: .binary, at: directory.file("Library.binary"))
        try LibraryObjects.save(in: coordinator)
        try coordinator.remove(store)
        original = [UInt8](try Data(contentsOf: directory.file("Library.binary")))
    }

    private func check(_ mutations: inout Mutations, _ bytes: (inout Mutations) throws -> [UInt8]) {
        let silent = mutations.run {
            try Data(bytes(&$0)).write(to: url)
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .binary, at: url)
            try FirstUse.open(url, Library.model(), type: NSBinaryStoreType, saving: "Tag")
        }
        #expect(silent == [])
    }

    @Test("m.15 a binary store whose identifier no URI can have is refused")
    func identifier() throws {
        let list = try PropertyListSerialization.propertyList(from: Data(original), options: [], format: nil)
        var contents = try #require(list as? [String: Any])
        var metadata = try #require(contents["metadata"] as? [String: Any])
        metadata[NSStoreUUIDKey] = Data([1, 2, 3])
        contents["metadata"] = metadata
        try PropertyListSerialization.data(fromPropertyList: contents, format: .binary, options: 0).write(to: url)
        #expect(throws: NSError.self) {
            try FirstUse.open(url, Library.model(), type: NSBinaryStoreType)
        }
    }

    @Test("m.15 a binary store with a reference that leaves none for new objects is refused", arguments: [0, Int64.max])
    func reference(_ number: Int64) throws {
        let list = try PropertyListSerialization.propertyList(from: Data(original), options: [], format: nil)
        var contents = try #require(list as? [String: Any])
        var objects = try #require(contents["objects"] as? [[Any]])
        objects[0][1] = NSNumber(value: number)
        contents["objects"] = objects
        try PropertyListSerialization.data(fromPropertyList: contents, format: .binary, options: 0).write(to: url)
        #expect(throws: NSError.self) {
            try FirstUse.open(url, Library.model(), type: NSBinaryStoreType, saving: "Author")
        }
    }

    @Test("m.15 mutations of a binary store's bytes are refused or open, and never crash")
    func bytes() {
        var mutations = Mutations("binary store, bytes")
        check(&mutations) { $0.mutated(original) }
    }

    @Test("m.15 mutations of a binary store's values are refused or open, and never crash")
    func values() throws {
        let list = try PropertyListSerialization.propertyList(from: Data(original), options: [], format: nil)
        var mutations = Mutations("binary store, values")
        check(&mutations) { mutations in
            var changed = list
            for _ in 0...mutations.random(in: 0...2) { changed = MutatedList.mutated(changed, &mutations) }
            let data = try PropertyListSerialization.data(fromPropertyList: changed, format: .binary, options: 0)
            mutations.keep([UInt8](data))
            return [UInt8](data)
        }
    }
}

/// Objects of the library with a value in each attribute and members in each relationship.
enum LibraryObjects {
    static func save(in coordinator: NSPersistentStoreCoordinator) throws {
        let context = coordinator.context()
        let ada = context.make("Author", [
            "name": "Ada", "age": 36, "born": Date(timeIntervalSinceReferenceDate: -1.5),
            "isAlive": NSNumber(value: false), "height": 1.65, "portrait": Data([0, 255]),
            "worth": NSDecimalNumber(string: "0.125"), "homepage": URL(string: "https://example.org/a?b") as Any,
            "id": UUID(),
        ])
        let books = ["One", "Two"].map { context.make("Book", ["title": $0, "pages": 7]) }
        ada.setValue(NSOrderedSet(array: books), forKey: "books")
        context.make("Tag", ["label": "t"]).setValue(NSSet(array: books), forKey: "books")
        _ = context.make("Poet", ["meter": "iambic"])
        context.transactionAuthor = "me"
        try context.save()
        ada.setValue("Eve", forKey: "name")
        context.delete(books[1])
        try context.save()
    }
}

/// Property lists of which one value is another.
enum MutatedList {
    private static var values: [Any] { [
        0, -1, Int64.max, Int64.min, 1 << 33, Double.nan, 1e300, true, "", "x", "Author", Data(), Data([1, 2, 3]),
        Date(timeIntervalSinceReferenceDate: 1e18), [Any](), [String: Any](), [1, "a"], ["a": 1],
    ] }

    static func mutated(_ list: Any, _ mutations: inout Mutations) -> Any {
        // A place at any depth: go down with a chance of five in six.
        if mutations.random(in: 0...5) > 0 {
            if var array = list as? [Any], !array.isEmpty {
                let index = mutations.random(in: 0...array.count - 1)
                switch mutations.random(in: 0...9) {
                case 0: array.remove(at: index)
                case 1: array.append(array[index])
                default: array[index] = mutated(array[index], &mutations)
                }
                return array
            }
            if var fields = list as? [String: Any], !fields.isEmpty {
                let key = mutations.element(of: fields.keys.sorted())
                switch mutations.random(in: 0...9) {
                case 0: fields[key] = nil
                case 1: fields["x"] = fields[key]
                default: fields[key] = fields[key].map { mutated($0, &mutations) }
                }
                return fields
            }
        }
        return mutations.element(of: values)
    }
}
