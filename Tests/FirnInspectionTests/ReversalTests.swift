import Firn
import FirnInspection
import FirnLog
import FirnModel
import Foundation
import Testing

/// Objects, properties and records that are put back.
@Suite("A reversal")
struct ReversalTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let list: NSManagedObject
    private let songs: [NSManagedObject]

    init() throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let context = context
        list = NSEntityDescription.insertNewObject(forEntityName: "List", into: context)
        songs = (0..<3).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Song", into: context) }
        list.setValue(NSOrderedSet(array: songs), forKey: "songs")
        list.setValue(NSOrderedSet(array: songs), forKey: "favourites")
        try context.save()
    }

    private static func model() -> NSManagedObjectModel {
        let (list, song) = (NSEntityDescription(), NSEntityDescription())
        (list.name, song.name) = ("List", "Song")
        func relate(_ name: String, _ inverse: String, isManyToMany: Bool) {
            let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
            (there.name, there.destinationEntity, there.isOrdered) = (name, song, true)
            (back.name, back.destinationEntity, back.maxCount) = (inverse, list, isManyToMany ? 0 : 1)
            (there.inverseRelationship, back.inverseRelationship) = (back, there)
            list.properties.append(there)
            song.properties.append(back)
        }
        let mark = NSAttributeDescription()
        (mark.name, mark.attributeType) = ("mark", .binaryDataAttributeType)
        let (place, city) = (NSCompositeAttributeDescription(), NSAttributeDescription())
        (city.name, city.attributeType, place.name, place.elements) = ("city", .stringAttributeType, "place", [city])
        list.properties += [mark, place]
        relate("songs", "list", isManyToMany: false)
        relate("favourites", "favouriteOf", isManyToMany: true)
        let model = NSManagedObjectModel()
        model.entities = [list, song]
        return model
    }

    @Test("of data and composites says what it changes")
    func data() throws {
        list.setValue(Data([1, 2]), forKey: "mark")
        list.setValue(["city": "Bern"], forKey: "place")
        try context.save()
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let point = try #require(token.positions.values.first?.sequence)
        list.setValue(Data([3, 4]), forKey: "mark")
        list.setValue(["city": "Thun"], forKey: "place")
        try context.save()
        let key = list.objectID.uriRepresentation().lastPathComponent
        let reversal = try Reversal(
            .object(ObjectName("List/\(key)"), property: nil, sequence: point),
            in: coordinator.persistentStores[0], of: coordinator, author: "test", name: "test"
        ) { _, _ in }
        let properties = reversal.changes.flatMap(\.properties).map { [$0.name, $0.old, $0.new] }
        #expect(properties == [["mark", "0304", "0102"], ["place", "city: Thun", "city: Bern"]])
    }

    @Test("of a property puts the members back into their order", arguments: ["songs", "favourites"])
    func order(_ property: String) throws {
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let point = try #require(token.positions.values.first?.sequence)
        try reverse(property)
        let key = list.objectID.uriRepresentation().lastPathComponent
        let reversal = try Reversal(
            .object(ObjectName("List/\(key)"), property: property, sequence: point),
            in: coordinator.persistentStores[0], of: coordinator, author: "test", name: "test"
        ) { try $1.save() }
        context.refreshAllObjects()
        #expect(list.value(forKey: property) as? NSOrderedSet == NSOrderedSet(array: songs))
        #expect(reversal.changes.map(\.kind) == [.update])
    }

    @Test("of a record puts members back into the order that it changed", arguments: ["songs", "favourites"])
    func record(_ property: String) throws {
        try reverse(property)
        let reversal = try revertLast()
        context.refreshAllObjects()
        #expect(list.value(forKey: property) as? NSOrderedSet == NSOrderedSet(array: songs))
        #expect(reversal.changes.map(\.kind) == [.update])
    }

    @Test("of a record puts an object that it deleted back to its place", arguments: ["songs", "favourites"])
    func place(_ property: String) throws {
        context.delete(songs[1])
        try context.save()
        _ = try revertLast()
        context.refreshAllObjects()
        let members = (list.value(forKey: property) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
        #expect(members.count == 3 && members.first === songs[0] && members.last === songs[2])
    }

    @Test("of a record that deleted a list puts its members in their order", arguments: ["songs", "favourites"])
    func deletedList(_ property: String) throws {
        try reverse(property)
        context.delete(list)
        try context.save()
        _ = try revertLast()
        let lists = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "List"))
        #expect(lists.map { $0.value(forKey: property) as? NSOrderedSet } == [NSOrderedSet(array: songs.reversed())])
    }

    @Test("of a record leaves an order that another one made", arguments: ["songs", "favourites"])
    func later(_ property: String) throws {
        try reverse(property)
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let point = try #require(token.positions.values.first?.sequence)
        let last = NSOrderedSet(array: [songs[1], songs[2], songs[0]])
        list.setValue(last, forKey: property)
        try context.save()
        _ = try revert(Int64(point.rawValue))
        context.refreshAllObjects()
        #expect(list.value(forKey: property) as? NSOrderedSet == last)
    }

    private func reverse(_ property: String) throws {
        list.setValue(NSOrderedSet(array: songs.reversed()), forKey: property)
        try context.save()
    }

    private func revertLast() throws -> Reversal {
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        return try revert(Int64(#require(token?.positions.values.first?.sequence).rawValue))
    }

    private func revert(_ number: Int64) throws -> Reversal {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let all = (try context.execute(request) as? NSPersistentHistoryResult)?.result
        let transaction = (all as? [NSPersistentHistoryTransaction])?.first { $0.transactionNumber == number }
        return try Reversal(
            .record(#require(transaction).record), in: coordinator.persistentStores[0], of: coordinator,
            author: "test", name: "test"
        ) { try $1.save() }
    }
}
