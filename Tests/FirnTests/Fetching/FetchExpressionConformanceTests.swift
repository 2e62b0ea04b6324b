import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSPredicate

@Suite("A fetch request as an expression")
struct FetchExpressionConformanceTests {
    let context: NSManagedObjectContext

    /// Ada, 3, wrote A and B; Bob, 5, wrote C; Cyd, 7, wrote nothing.
    init() throws {
        context = try Library.inMemory().context()
        for (name, age, titles) in [("Ada", 3, ["A", "B"]), ("Bob", 5, ["C"]), ("Cyd", 7, [])] {
            let author = context.make("Author", ["name": name, "age": age])
            for title in titles { context.make("Book", ["title": title]).setValue(author, forKey: "author") }
        }
        try context.save()
    }

    private func request(_ entity: String, _ predicate: String? = nil) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        request.predicate = predicate.map { NSPredicate(format: $0) }
        return request
    }

    private func titles(_ predicate: NSPredicate) throws -> Set<String> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = predicate
        let found = Set(try context.fetch(request).compactMap { $0.text("title") })
        let inMemory = try context.all("Book").filter { predicate.evaluate(with: $0) }.compactMap { $0.text("title") }
        #expect(found == Set(inMemory), "\(predicate)")
        return found
    }

    @Test("d.13 is what the request finds, in a predicate of a fetch and in memory")
    func membership() throws {
        let grown = request("Author", "age > 4")
        #expect(try titles(NSPredicate(format: "author IN FETCH(%@, %@, NO)", grown, context)) == ["C"])
        #expect(try titles(NSPredicate(format: "NOT (author IN FETCH(%@, %@, NO))", grown, context)) == ["A", "B"])
        #expect(try titles(NSPredicate(format: "FETCH(%@, %@, YES) == 2", grown, context)) == ["A", "B", "C"])
        #expect(try titles(NSPredicate(format: "FETCH(%@, %@, YES) > 2", grown, context)).isEmpty)
    }

    @Test("d.13 takes dictionaries with one property as the values of that property")
    func column() throws {
        let names = request("Author", "age > 4")
        names.resultType = .dictionaryResultType
        names.propertiesToFetch = ["name"]
        let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
        authors.predicate = NSPredicate(format: "name IN FETCH(%@, %@, NO)", names, context)
        #expect(Set(try context.fetch(authors).compactMap { $0.text("name") }) == ["Bob", "Cyd"])
    }

    @Test("d.13 has the request, the context and the flag for parts, and prints what parses back")
    func parts() throws {
        let made = NSFetchRequestExpression.expression(
            forFetch: NSExpression(forVariable: "request"), context: NSExpression(forVariable: "context"),
            countOnly: true)
        let expression = try #require(made as? NSFetchRequestExpression)
        #expect(expression.expressionType == NSFetchRequestExpressionType && expression.expressionType.rawValue == 50)
        #expect(expression.requestExpression == NSExpression(forVariable: "request"))
        #expect(expression.contextExpression == NSExpression(forVariable: "context"))
        #expect(expression.isCountOnlyRequest)
        #expect(expression.description == "FETCH($request, $context, YES)")
        #expect(NSExpression(format: expression.description) == expression)
        #expect(NSExpression(format: expression.description) is NSFetchRequestExpression)
    }

    @Test("d.13 takes request and context from substitution variables")
    func variables() throws {
        let template = NSPredicate(format: "author IN FETCH($request, $context, NO)")
        let young = request("Author", "age < 4")
        let predicate = template.withSubstitutionVariables(["request": young, "context": context])
        #expect(try titles(predicate) == ["A", "B"])
        let value = NSExpression(format: "FETCH($request, $context, YES)").expressionValue(
            with: nil as Any?, context: ["request": request("Book"), "context": context])
        #expect(value as? Int == 3)
    }

    @Test("d.13 finds unsaved objects, as its request does, and ignores the request's offset")
    func pendingAndOffset() throws {
        context.make("Author", ["name": "Dan", "age": 9])
            .setValue(NSOrderedSet(array: [context.make("Book", ["title": "D"])]), forKey: "books")
        let grown = request("Author", "age > 4")
        grown.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        grown.fetchOffset = 2
        #expect(try titles(NSPredicate(format: "author IN FETCH(%@, %@, NO)", grown, context)) == ["C", "D"])
    }

    @Test("d.13 nests: the request's predicate may have another")
    func nested() throws {
        let inner = request("Author", "age > 4")
        let outer = request("Book")
        outer.predicate = NSPredicate(format: "author IN FETCH(%@, %@, NO)", inner, context)
        let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
        authors.predicate = NSPredicate(format: "ANY books IN FETCH(%@, %@, NO)", outer, context)
        #expect(try context.fetch(authors).map { $0.text("name") } == ["Bob"])
    }

    @Test("d.13 may be a column, and decide a batch update and a batch delete")
    func elsewhere() throws {
        let column = NSExpressionDescription()
        column.name = "all"
        column.expressionResultType = .integer64AttributeType
        column.expression = NSFetchRequestExpression.expression(
            forFetch: NSExpression(forConstantValue: request("Book")),
            context: NSExpression(forConstantValue: context), countOnly: true)
        let rows = request("Author")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["name", column]
        #expect(try context.fetch(rows).compactMap { ($0 as? NSDictionary)?["all"] as? Int } == [3, 3, 3])
        let predicate = NSPredicate(format: "author IN FETCH(%@, %@, NO)", request("Author", "age > 4"), context)
        let update = NSBatchUpdateRequest(entityName: "Book")
        (update.predicate, update.propertiesToUpdate) = (predicate, ["pages": 9])
        update.resultType = .updatedObjectsCountResultType
        #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 1)
        let doomed = request("Book")
        doomed.predicate = predicate
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: doomed))
        #expect(try context.count(for: request("Book")) == 2)
    }

    @Test("d.13 without a request, a context or a value for its variable is an error that names it")
    func mistakes() throws {
        for (predicate, words) in [
            (NSPredicate(format: "author IN FETCH($request, $context, NO)"), "$context"),
            (NSPredicate(format: "author IN FETCH(%@, %@, NO)", "x", context), "needs a fetch request"),
            (NSPredicate(format: "author IN FETCH(%@, 3, NO)", request("Author")), "needs a managed object context"),
        ] {
            let books = request("Book")
            books.predicate = predicate
            let error = #expect(throws: NSError.self) { try context.fetch(books) }
            #expect("\(error as Any)".contains(words), "\(predicate): \(error as Any)")
        }
        #expect(throws: PredicateFormatError.self) { try NSPredicate(validatingFormat: "a IN FETCH($r, $c)") }
        #expect(throws: PredicateFormatError.self) { try NSPredicate(validatingFormat: "a IN FETCH($r, $c, x)") }
    }

    @Test("d.13 makes a results controller look again when an object changes that its request finds")
    func controller() throws {
        let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
        books.predicate = NSPredicate(format: "author IN FETCH(%@, %@, NO)", request("Author", "age > 4"), context)
        books.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let witness = ListWitness()
        let controller = try witness.watched(books, in: context)
        try context.all("Author", sortedBy: "name")[0].setValue(8, forKey: "age")
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.map { $0.text("title") } == ["A", "B", "C"])
        #expect(witness.sections == ListWitness.content(controller))
    }
}
