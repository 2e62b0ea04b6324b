import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Objects in predicates")
struct PredicateTests {
    @Test(
        "an object and its ID are one value, in the store and over unsaved changes",
        arguments: ["author == %@", "SELF.author == %@", "author IN {%@}"])
    func objects(_ format: String) throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada"])
        let eve = context.make("Author", ["name": "Eve"])
        context.make("Book", ["title": "Notes"]).setValue(ada, forKey: "author")
        context.make("Book", ["title": "Poems"]).setValue(eve, forKey: "author")
        try context.save()
        for value in [ada, ada.objectID] as [NSObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: format, value)
            let titles = try context.fetch(request).map { $0.value(forKey: "title") as? String }
            #expect(titles == ["Notes"], "\(value)")
            _ = context.make("Tag")
            let overlaid = try context.fetch(request).map { $0.value(forKey: "title") as? String }
            #expect(overlaid == ["Notes"], "\(value), with unsaved changes")
            context.rollback()
        }
    }
}
