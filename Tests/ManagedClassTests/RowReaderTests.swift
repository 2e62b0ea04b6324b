import CoreData
import Foundation
import ManagedBase
import TestSupport
import Testing

import class ManagedBase.Person

@Suite("Rows of each kind of store and context")
struct RowReaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func coordinator(_ types: String...) throws -> NSPersistentStoreCoordinator {
        let model = ManagedModel.model()
        let data = try #require(model.entitiesByName["Everything"]?.attributesByName["data"])
        data.allowsExternalBinaryDataStorage = true
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for (index, type) in types.enumerated() {
            let url = type == NSInMemoryStoreType ? nil : directory.file("Store\(index)")
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
        }
        return coordinator
    }

    private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func make(_ context: NSManagedObjectContext, _ numbers: Range<Int>) -> [Everything] {
        numbers.map { number in
            let object = Everything(context: context)
            (object.text, object.plain, object.isOn) = ("\(number)", number, number % 2 == 0)
            object.price = NSDecimalNumber(value: number)
            object.date = number % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
            object.identifier = UUID()
            object.link = URL(string: "https://example.com/\(number)")
            object.data = Data(repeating: UInt8(number), count: number == 1 ? 1 << 20 : number)
            let owner = Person(context: context)
            owner.name = "owner of \(number)"
            object.owner = owner
            return object
        }
    }

    private func ascending(_ key: String) -> NSSortDescriptor { NSSortDescriptor(key: key, ascending: true) }

    /// Compares rows of every kind of column with objects, in the order of `plain`.
    private func check(
        _ context: NSManagedObjectContext, _ objects: [Everything], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let values = try context.rows(
            of: Everything.self, \.text, \.plain, \.isOn, \.price, \.date, \.identifier, \.link, \.data, \.owner?.name,
            sortedBy: [ascending("plain")])
        #expect(values.count == objects.count, sourceLocation: sourceLocation)
        for (row, object) in zip(values, objects) {
            #expect(row.0 == object.text && row.1 == object.plain, sourceLocation: sourceLocation)
            #expect(row.2 == object.isOn && row.3 == object.price, sourceLocation: sourceLocation)
            #expect(row.4 == object.date, sourceLocation: sourceLocation)
            #expect(row.5 == object.identifier && row.6 == object.link, sourceLocation: sourceLocation)
            #expect(row.7 == object.data && row.8 == object.owner?.name, sourceLocation: sourceLocation)
        }
        let others = try context.rows(
            of: Everything.self, .value(\.objectID), .value(\Everything.owner?.objectID),
            .key("price", as: Decimal.self), .key("price", as: NSNumber.self), .key("isOn", as: NSNumber.self),
            sortedBy: [ascending("plain")])
        #expect(others.count == objects.count, sourceLocation: sourceLocation)
        for (row, object) in zip(others, objects) {
            #expect(row.0 == object.objectID && row.1 == object.owner?.objectID, sourceLocation: sourceLocation)
            #expect(row.2 == object.price?.decimalValue && row.3 == object.price, sourceLocation: sourceLocation)
            #expect(row.4.boolValue == object.isOn, sourceLocation: sourceLocation)
        }
    }

    @Test(
        "of one store, on disk, in memory and atomic",
        arguments: [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType])
    func stores(_ type: String) throws {
        let context = context(try coordinator(type))
        let objects = make(context, 0..<12)
        try context.save()
        try check(context, objects)
    }

    @Test("of a context without a store there are none, and wrong types are errors")
    func noStore() throws {
        let context = context(try coordinator())
        #expect(try context.rows(of: Everything.self, \.text).isEmpty)
        #expect(throws: NSError.self) { try context.rows(of: Everything.self, .key("text", as: Int.self)) }
    }

    @Test("of a child's parent are those of the store, without unsaved changes of either")
    func children() throws {
        let parent = context(try coordinator(NSSQLiteStoreType))
        let objects = make(parent, 0..<5)
        try parent.save()
        _ = make(parent, 5..<7)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        _ = make(grandchild, 7..<9)
        try check(child, objects)
        try check(grandchild, objects)
    }

    @Test("as of the past are what the store had then")
    func past() throws {
        let coordinator = try coordinator(NSSQLiteStoreType)
        let context = context(coordinator)
        let objects = make(context, 0..<6)
        try context.save()
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        for object in objects { object.text = "later" }
        context.delete(objects[0])
        try context.save()
        let past = try coordinator.newContext(asOf: .token(token))
        #expect(
            try past.rows(of: Everything.self, \.text, sortedBy: [ascending("plain")])
                == ["0", "1", "2", "3", "4", "5"])
        #expect(try context.rows(of: Everything.self, .count) == [5])
        let sums = try past.rows(of: Everything.self, groupedBy: \.isOn, computing: .sum(\.plain))
        #expect(sums.map(\.1) == [9, 6])
    }

    @Test("of several stores are sorted, cut and made distinct as one; groups are refused as those of dictionaries")
    func severalStores() throws {
        let coordinator = try coordinator(NSSQLiteStoreType, NSInMemoryStoreType)
        let context = context(coordinator)
        let objects = make(context, 0..<12)
        for object in objects {
            context.assign(object, to: coordinator.persistentStores[object.plain % 2])
            if let owner = object.owner { context.assign(owner, to: coordinator.persistentStores[object.plain % 2]) }
        }
        try context.save()
        try check(context, objects)
        #expect(
            try context.rows(
                of: Everything.self, \.text, sortedBy: [NSSortDescriptor(key: "plain", ascending: false)], limit: 3,
                offset: 2) == ["9", "8", "7"])
        #expect(
            try context.rows(of: Everything.self, \.isOn, sortedBy: [ascending("isOn")], distinct: true)
                == [false, true])
        #expect(throws: NSError.self) { try context.rows(of: Everything.self, .sum(\.plain)) }
        let one = NSFetchRequest<Everything>(entityName: "Everything")
        one.affectedStores = [coordinator.persistentStores[1]]
        #expect(try context.rows(matching: one, .sum(\.plain)) == [1 + 3 + 5 + 7 + 9 + 11])
        let error = #expect(throws: NSError.self) {
            try context.rows(of: Everything.self, .key("date", as: Date.self), sortedBy: [ascending("plain")])
        }
        #expect(error?.localizedDescription.hasPrefix("row 0 of the fetch") == true)
    }

    @Test("of a store of a class of its own are what its dictionaries have")
    func ownStore() throws {
        NSPersistentStoreCoordinator.registerStoreClass(ListedStore.self, type: ListedStore.storeType)
        let context = context(try coordinator(ListedStore.storeType.rawValue))
        let rows = try context.rows(of: Everything.self, \.text, \.plain, \.date, \.double)
        #expect(rows.map(\.0) == ["a", "b"] && rows.map(\.1) == [1, 2] && rows.map(\.3) == [0.5, 1])
        #expect(rows.map(\.2) == [Date(timeIntervalSinceReferenceDate: 0), nil])
        for column in ["isOn", "link"] {
            let error = #expect(throws: NSError.self) {
                if column == "isOn" {
                    _ = try context.rows(of: Everything.self, \.isOn)
                } else {
                    _ = try context.rows(of: Everything.self, \.link)
                }
            }
            #expect(error?.localizedDescription.hasPrefix("row 0 of the fetch") == true, "\(column)")
        }
    }
}

/// A store whose answer to a fetch of dictionaries is in its code: Foundation's values and Swift's, and wrong ones.
private final class ListedStore: NSIncrementalStore {
    static let storeType = NSPersistentStore.StoreType(rawValue: "Listed")

    override var type: String { Self.storeType.rawValue }

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: Self.storeType.rawValue]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        let rows: [[String: Any]] = [
            [
                "text": "a", "plain": 1, "date": Date(timeIntervalSinceReferenceDate: 0),
                "double": NSNumber(value: 0.5), "isOn": "no", "link": 5,
            ],
            ["text": NSString(string: "b"), "plain": NSNumber(value: 2), "date": NSNull(), "double": 1.0],
        ]
        return rows
    }
}
