import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (d): dictionary results.
@Suite("Conformance (d): dictionary results")
struct DictionaryFetchConformanceTests {
    let context: NSManagedObjectContext

    init() throws {
        context = try Library.inMemory().context()
        for (name, pages) in [("Ada", [10, 20]), ("Bob", [5]), ("Cay", [])] {
            let author = context.make("Author", ["name": name])
            for count in pages {
                context.make("Book", ["title": "\(name) \(count)", "pages": count]).setValue(author, forKey: "author")
            }
        }
        try context.save()
    }

    private func request(_ entity: String, _ properties: [Any]?) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        return request
    }

    private func column(_ name: String, _ format: String, _ type: NSAttributeType) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    /// [FCD]
    @Test("d.11 the keys are all attributes and no relationships, if nothing is said")
    func defaults() throws {
        let rows = try context.fetch(request("Book", nil))
        #expect(Set(rows.flatMap { $0.allKeys.compactMap { $0 as? String } }) == ["title", "pages"])
    }

    /// [H]
    @Test("d.11 names, attributes, to-one relationships and expressions may be columns; a to-one is an object ID")
    func columns() throws {
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Book"])
        let pages = try #require(entity.attributesByName["pages"])
        let asked = request("Book", ["title", pages, "author", column("twice", "pages * 2", .integer64AttributeType)])
        asked.predicate = NSPredicate(format: "title == 'Bob 5'")
        let row = try #require(try context.fetch(asked).first)
        #expect(row["title"] as? String == "Bob 5")
        #expect((row["pages"] as? NSNumber)?.intValue == 5)
        #expect((row["twice"] as? NSNumber)?.intValue == 10)
        let author = try #require(row["author"] as? NSManagedObjectID)
        #expect(context.object(with: author).text("name") == "Bob")
    }

    /// [FCD]
    @Test("d.11 a to-many relationship is no column, and neither is what the entity does not have")
    func illegal() {
        for name in ["books", "nothing", "nickname"] {
            let error = #expect(throws: NSError.self) { try context.fetch(request("Author", [name])) }
            #expect(error?.localizedDescription.contains(name) == true)
        }
    }

    /// [H]
    @Test("d.12 returnsDistinctResults gives equal dictionaries once")
    func distinct() throws {
        _ = context.make("Book", ["title": "Bob 5", "pages": 5])
        try context.save()
        let asked = request("Book", ["title", "pages"])
        #expect(try context.fetch(asked).count == 4)
        asked.returnsDistinctResults = true
        #expect(try context.fetch(asked).count == 3)
        #expect(try context.count(for: asked) == 3)
    }

    /// [H]; FCD has exceptions for a having predicate, by name and by function.
    @Test("d.12 groups have aggregates, and a predicate by an aggregate's name or by a function")
    func grouping() throws {
        let sum = column("total", "sum:(pages)", .integer64AttributeType)
        let asked = request("Book", ["author.name", sum])
        asked.propertiesToGroupBy = ["author.name"]
        asked.sortDescriptors = [NSSortDescriptor(key: "total", ascending: false)]
        func totals() throws -> [String] {
            try context.fetch(asked).map { "\($0["author.name"] ?? "") \($0["total"] ?? "")" }
        }
        #expect(try totals() == ["Ada 30", "Bob 5"])
        for format in ["total > 5", "sum:(pages) > 5"] {
            asked.havingPredicate = NSPredicate(format: format)
            #expect(try totals() == ["Ada 30"], "\(format)")
        }
    }

    /// [H]
    @Test("d.12 a column that is neither grouped nor an aggregate is refused, and so is having without groups")
    func refused() {
        let asked = request("Book", ["title"])
        asked.propertiesToGroupBy = ["author"]
        #expect(throws: NSError.self) { try context.fetch(asked) }
        let having = request("Book", ["title"])
        having.havingPredicate = NSPredicate(format: "pages > 1")
        #expect(throws: NSError.self) { try context.fetch(having) }
    }
}
