import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Objects that are new at the bottom of a tree of contexts, on their way to the store.
@Suite("Trees of contexts")
struct NestedContextTests {
    let root: NSManagedObjectContext
    let main: NSManagedObjectContext
    let worker: NSManagedObjectContext

    init() throws {
        root = try Library.inMemory().context()
        main = root.makeChild()
        worker = main.makeChild()
    }

    @Test("an object that a child saved twice before its parent's first save has its values after it")
    func twoSavesBeforeTheRoots() throws {
        let ada = main.make("Author", ["name": "Ada"])
        try main.save()
        ada.setValue("Eve", forKey: "name")
        try main.save()
        try root.save()
        main.refreshAllObjects()
        #expect(ada.value(forKey: "name") as? String == "Eve")
        #expect(try main.all("Author") == [ada])
    }

    @Test("a later change of an object that a child saved twice before its parent's first save reaches the store")
    func changeAfterTwoSaves() throws {
        let ada = main.make("Author", ["name": "Ada"])
        try main.save()
        ada.setValue("Eve", forKey: "name")
        try main.save()
        try root.save()
        main.refreshAllObjects()
        ada.setValue("Zoe", forKey: "name")
        try main.save()
        try root.save()
        let reader = root.persistentStoreCoordinator?.context()
        #expect(try reader?.strings("Author", "name") == ["Zoe"])
    }

    @Test("at three levels, a reference between new objects that were saved one after the other leads on")
    func referenceAcrossThreeLevels() throws {
        let book = worker.make("Book", ["title": "Notes"])
        try worker.save()
        do {
            let ada = worker.make("Author", ["name": "Ada"])
            book.setValue(ada, forKey: "author")
        }
        try worker.save()
        try main.save()
        try root.save()
        #expect((book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "Ada")
    }

    @Test("a child that follows its parent shows what that changed of a new object, once it is saved one level up")
    func followedInsertion() throws {
        worker.automaticallyMergesChangesFromParent = true
        let ada = main.make("Author", ["name": "Ada"])
        let known = try #require(try worker.all("Author").first)
        #expect(known.value(forKey: "name") as? String == "Ada")
        ada.setValue("Eve", forKey: "name")
        try main.save()
        worker.performAndWait {}
        #expect(known.value(forKey: "name") as? String == "Eve")
    }
}
