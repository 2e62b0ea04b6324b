import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A request sent to a coordinator")
struct CoordinatorExecuteTests {
    @Test("gives what the stores have as objects of the context, whatever the context has changed")
    func fetch() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        _ = context.make("Author", ["name": "Bob"])
        author.setValue("Zoe", forKey: "name")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "name == 'Ada'")
        let found = try coordinator.execute(request, with: context) as? [NSManagedObject]
        #expect(found?.first === author && found?.count == 1)
        request.resultType = .countResultType
        #expect(try coordinator.execute(request, with: context) as? [Int] == [1])
    }

    @Test("gives a batch request's result")
    func batch() throws {
        let coordinator = try Library.inMemory()
        let request = NSBatchInsertRequest(entityName: "Author", objects: [["name": "Ada"], ["name": "Bob"]])
        request.resultType = .count
        let result = try coordinator.execute(request, with: coordinator.context()) as? NSBatchInsertResult
        #expect(result?.result as? Int == 2)
    }

    @Test("with a context of another coordinator is an error")
    func otherCoordinator() throws {
        let context = try Library.inMemory().context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        #expect(throws: NSError.self) { try Library.inMemory().execute(request, with: context) }
    }
}
