import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("A batch update's computed values")
struct BatchExpressionTests {
    /// As the constant 40000 is. Read as Int16 it is -32768; a typed row fetch fails on it.
    @Test("a value that does not fit an Integer 16 is refused")
    func width() throws {
        let context = try Library.inMemory().context()
        _ = context.make("Author", ["age": 32767])
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["age": NSExpression(format: "age + 1")]
        #expect(throws: (any Error).self) { try context.execute(update) }
    }

    /// The column has 5: the object says true, and neither == YES nor == NO finds it.
    @Test("a Boolean is true or false, to an object and to a predicate")
    func boolean() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        _ = context.make("Author", ["age": 5])
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["isAlive": NSExpression(forKeyPath: "age")]
        _ = try? context.execute(update)
        let reader = coordinator.context()
        guard try reader.all("Author").first?.value(forKey: "isAlive") as? Bool == true else { return }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "isAlive == YES")
        #expect(try reader.count(for: request) == 1)
    }

    /// An aggregate makes one row of all: its key is that of one object, and all others would get nil.
    @Test(
        "an aggregate of all rows is refused, and erases nothing",
        arguments: ["max:(age)", "sum:(age)", "age - min:(age)", "count:(name)", "@max.age"])
    func aggregate(_ format: String) throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        for age in 1...3 { _ = context.make("Author", ["name": "\(age)", "age": age]) }
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["age": NSExpression(format: format)]
        #expect(throws: (any Error).self) { try context.execute(update) }
        let reader = coordinator.context()
        #expect(try reader.all("Author", sortedBy: "name").map { $0.number("age") } == [1, 2, 3])
    }
}
