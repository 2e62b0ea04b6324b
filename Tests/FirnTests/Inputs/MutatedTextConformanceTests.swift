import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate

/// Damaged texts that programs keep and read again: formats of predicates, URIs of objects.
@Suite("Mutated texts")
struct MutatedTextConformanceTests {
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        coordinator = try Library.inMemory()
        try LibraryObjects.save(in: coordinator)
    }

    private static let formats = [
        "name BEGINSWITH[cd] 'ad' AND age > 3 OR ANY books.title LIKE '*n*'",
        "SUBQUERY(books, $b, $b.pages > 3 AND ANY $b.tags.label == 't').@count > 0",
        "born > CAST(12.5, 'NSDate') OR height BETWEEN {1, 2} OR name IN {'a', 'Eve'}",
        "NOT (name MATCHES '[A-Z](a|b)*' AND worth * 2 + 1 - 3 / age ** 2 == 0x1F)",
        "books.@sum.pages == 7 AND TERNARY(age == 36, name, 'x') != nil AND isAlive == NO",
    ]

    @Test("m.15 mutations of a predicate's format are refused, or a fetch ends, and never crash")
    func predicates() throws {
        let context = coordinator.context()
        var mutations = Mutations("predicate format", usualCount: 300)
        let silent = context.performAndWait {
            mutations.run(Self.formats.map { Array($0.utf8) }) { bytes in
                let format = String(decoding: bytes, as: UTF8.self)
                let predicate = try NSPredicate(validatingFormat: format, argumentArray: ["a", 1, "b"])
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.predicate = predicate
                _ = try? context.fetch(request)
            }
        }
        #expect(silent == [])
    }

    @Test("m.15 a fetch with a constant expression that has no value is an error")
    func valuelessConstant() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = try NSPredicate(validatingFormat: "born > CAST(12.5, 'JSDate')")
        #expect(throws: (any Error).self) { try coordinator.context().fetch(request) }
    }

    @Test("m.15 mutations of an expression's format are refused, or have a value, and never crash")
    func expressions() throws {
        let context = coordinator.context()
        var mutations = Mutations("expression format", usualCount: 300)
        let formats = ["add:to:(age, 2) * 3", "uppercase:(name)", "books.@max.pages", "{1, name, $x}", "SELF.books[0]"]
        let silent = context.performAndWait {
            let author = ["age": 3, "name": "Ada"] as NSDictionary
            return mutations.run(formats.map { Array($0.utf8) }) { bytes in
                let format = String(decoding: bytes, as: UTF8.self)
                _ = try NSExpression(validatingFormat: format).value(for: author)
            }
        }
        #expect(silent == [])
    }

    @Test("m.15 mutations of an object's URI are of no object or of one, and never crash")
    func objectURIs() throws {
        let context = coordinator.context()
        let uri = try #require(try context.all("Author").first).objectID.uriRepresentation().absoluteString
        var mutations = Mutations("object URI", usualCount: 300)
        let silent = mutations.run([Array(uri.utf8)]) { bytes in
            guard let url = URL(string: String(decoding: bytes, as: UTF8.self)),
                let id = coordinator.managedObjectID(forURIRepresentation: url)
            else { throw CocoaError(.fileNoSuchFile) }
            _ = id.uriRepresentation()
            try context.performAndWait { _ = try context.existingObject(with: id) }
        }
        #expect(silent == [])
    }
}
