import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Rebasing changes onto another save's")
struct RebasingTests {
    let coordinator: NSPersistentStoreCoordinator
    let first: NSManagedObjectContext
    let second: NSManagedObjectContext
    let mine: NSManagedObject
    let theirs: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        first = coordinator.context()
        second = coordinator.context()
        mine = first.make("Author", ["name": "Ada", "age": 36])
        for title in ["a", "b"] { first.make("Book", ["title": title]).setValue(mine, forKey: "author") }
        try first.save()
        theirs = try second.existingObject(with: mine.objectID)
        _ = theirs.text("name")
        first.mergePolicy = RebaseMergePolicy()
    }

    private func titles(_ object: NSManagedObject) -> [String?] {
        (object.value(forKey: "books") as? NSOrderedSet)?.map { ($0 as? NSManagedObject)?.text("title") } ?? []
    }

    @Test("changes of different properties are both kept")
    func disjoint() throws {
        theirs.setValue(40, forKey: "age")
        try second.save()
        mine.setValue("Eva", forKey: "name")
        try first.save()
        #expect(mine.text("name") == "Eva")
        #expect(mine.number("age") == 40)
    }

    @Test("members that either side added or took away are merged one by one")
    func members() throws {
        #expect(titles(mine) == ["a", "b"])
        second.make("Book", ["title": "c"]).setValue(theirs, forKey: "author")
        try second.save()
        let a = try #require(try first.all("Book", sortedBy: "title").first)
        a.setValue(nil, forKey: "author")
        first.make("Book", ["title": "d"]).setValue(mine, forKey: "author")
        try first.save()
        #expect(Set(titles(mine)) == ["b", "c", "d"])
        let reader = coordinator.context()
        #expect(Set(titles(try reader.existingObject(with: mine.objectID))) == ["b", "c", "d"])
        withExtendedLifetime(reader) {}
    }

    @Test("a property that both set to the same value is no overlap")
    func same() throws {
        theirs.setValue("Eva", forKey: "name")
        try second.save()
        mine.setValue("Eva", forKey: "name")
        try first.save()
        #expect(mine.text("name") == "Eva")
    }

    @Test("an overlap is reported with its property, and leaves everything as it was")
    func reported() throws {
        let other = first.make("Author", ["name": "Bea"])
        try first.save()
        let theirOther = try second.existingObject(with: other.objectID)
        theirOther.setValue(50, forKey: "age")
        theirs.setValue("Theirs", forKey: "name")
        try second.save()
        mine.setValue("Mine", forKey: "name")
        other.setValue("Ben", forKey: "name")
        #expect { try first.save() } throws: { error in
            let error = error as NSError
            let list = error.userInfo["conflictList"] as? [NSMergeConflict]
            return error.code == CocoaError.Code.managedObjectMerge.rawValue && list?.map(\.sourceObject) == [mine]
                && error.localizedDescription.contains("(name)")
        }
        #expect(mine.text("name") == "Mine")
        #expect(other.number("age") == nil)
        #expect(first.updatedObjects == [mine, other])
    }

    @Test("either side can be chosen for what overlaps, and for that alone", arguments: [true, false])
    func chosen(storeWins: Bool) throws {
        theirs.setValue("Theirs", forKey: "name")
        theirs.setValue(40, forKey: "age")
        try second.save()
        mine.setValue("Mine", forKey: "name")
        mine.setValue(2, forKey: "height")
        first.mergePolicy = RebaseMergePolicy(overlaps: storeWins ? .store : .object)
        try first.save()
        #expect(mine.text("name") == (storeWins ? "Theirs" : "Mine"))
        #expect(mine.number("age") == 40)
        #expect(mine.number("height") == 2)
    }

    @Test("a function can combine what overlaps: both differences of a counter")
    func combined() throws {
        theirs.setValue(46, forKey: "age")
        try second.save()
        mine.setValue(37, forKey: "age")
        first.mergePolicy = RebaseMergePolicy(
            overlaps: .combine { overlap in
                let numbers = [overlap.ancestor, overlap.mine, overlap.theirs].map { ($0 as? NSNumber)?.intValue ?? 0 }
                return numbers[1] + numbers[2] - numbers[0]
            })
        try first.save()
        #expect(mine.number("age") == 47)
        second.refreshAllObjects()
        #expect(theirs.number("age") == 47)
    }

    @Test("an object that was changed here and deleted there is reported, or goes with the side that is chosen")
    func deleted() throws {
        second.delete(theirs)
        try second.save()
        mine.setValue("Eva", forKey: "name")
        #expect(throws: (any Error).self) { try first.save() }
        #expect(mine.text("name") == "Eva")
        first.mergePolicy = RebaseMergePolicy(overlaps: .object)
        try first.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Eva"])
    }
}
