import FirnModel
import Foundation
import Testing

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// Predicates, expressions and limits in model files.
@Suite struct PredicateTests {
    private func load(_ lines: String...) throws -> LoadedModel {
        let text = (["<model>"] + lines + ["</model>"]).joined(separator: "\n")
        return try NSManagedObjectModel.load(document: Array(text.utf8), name: "M")
    }

    /// The model that reading the document of `model` gives.
    private func reread(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        let loaded = try NSManagedObjectModel.load(document: model.xcdatamodelContents(), name: "M")
        #expect(loaded.warnings.map(\.description) == [])
        return loaded.model
    }

    @Test("Limits are written as they were read")
    func limitsRoundTrip() throws {
        let loaded = try load(
            "<entity name=\"A\">",
            "<attribute name=\"x\" attributeType=\"Double\" minValueString=\"0.10\" maxValueString=\"1e3\"/>",
            "</entity>")
        #expect(loaded.model.differences(to: try reread(loaded.model)) == [])
    }

    @Test("A limit that is no number is reported, and does not apply")
    func badLimit() throws {
        let loaded = try load(
            "<entity name=\"A\">",
            "<attribute name=\"x\" attributeType=\"Double\" minValueString=\"low\"/>",
            "</entity>")
        #expect(
            loaded.warnings.map(\.description) == [
                "M:3: warning: 'x' has the limit 'low', which is no number; it does not apply."
            ])
    }

    @Test("A minimum above the maximum is reported; limits that are the same are not", arguments: [3, 4, 5])
    func crossedLimits(minimum: Int) throws {
        for type in ["Integer 32", "String"] {
            let loaded = try load(
                "<entity name=\"A\">",
                "<attribute name=\"x\" attributeType=\"\(type)\" minValueString=\"\(minimum)\" maxValueString=\"4\"/>",
                "</entity>")
            let expected = "M:3: warning: 'x' has the minimum '5' above the maximum '4'; no value is valid."
            #expect(loaded.warnings.map(\.description) == (minimum > 4 ? [expected] : []), "\(type)")
        }
    }

    @Test("Validation predicates set in code survive the document, with messages and codes")
    func validation() throws {
        let library = Library()
        library.book.attributesByName["title"]?.setValidationPredicates(
            [NSPredicate(format: "length > 0"), NSPredicate(format: "SELF != %@", "x\" AND y")],
            withValidationWarnings: ["empty", "taken"])
        let again = try reread(library.model)
        #expect(library.model.differences(to: again).map(\.description) == [])
        let title = again.entitiesByName["Book"]?.attributesByName["title"]
        #expect(
            title?.validationPredicates
                == library.book.attributesByName["title"]?.validationPredicates)
        #expect(title?.validationWarnings.map { $0 as? String } == ["empty", "taken"])
    }

    @Test(
        "A derived attribute's expression survives the document",
        arguments: ["books.@count", "canonical:(name)", "now()", "books.pages.@sum", "name"])
    func derived(text: String) throws {
        let derived = NSDerivedAttributeDescription()
        derived.name = "d"
        derived.attributeType = .integer64AttributeType
        derived.derivationExpression = NSExpression(format: text)
        let library = Library()
        library.author.properties += [derived]
        let again = try reread(library.model).entitiesByName["Author"]?.attributesByName["d"]
        let expression = try #require(
            (again as? NSDerivedAttributeDescription)?.derivationExpression)
        #expect(expression == derived.derivationExpression)
    }

    @Test("A derivation in a file is an expression")
    func derivationInFile() throws {
        let loaded = try load(
            "<entity name=\"A\">",
            "<attribute name=\"n\" attributeType=\"Integer 64\" derived=\"YES\" derivationExpression=\"b.@count\"/>",
            "</entity>")
        let derived =
            loaded.model.entitiesByName["A"]?.attributesByName["n"]
            as? NSDerivedAttributeDescription
        #expect(derived?.derivationExpression == NSExpression(forKeyPath: "b.@count"))
    }

    @Test("Fetch requests survive the document, with predicate, sorting and variables")
    func requests() throws {
        let library = Library()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "title BEGINSWITH[cd] $START AND pages > 10")
        request.havingPredicate = NSPredicate(format: "pages.@sum > 3")
        request.sortDescriptors = [
            NSSortDescriptor(key: "pages", ascending: false),
            NSSortDescriptor(key: "title", ascending: true, selector: "caseInsensitiveCompare:"),
        ]
        library.model.setFetchRequestTemplate(request, forName: "long")
        let again = try reread(library.model)
        #expect(library.model.differences(to: again).map(\.description) == [])
        let template = try #require(again.fetchRequestTemplate(forName: "long"))
        #expect(template.predicate == request.predicate)
        #expect(template.sortDescriptors == request.sortDescriptors)
        #expect(template.entity === again.entitiesByName["Book"])
    }

    @Test("A predicate that cannot be read is reported with its line")
    func badPredicate() throws {
        let loaded = try load(
            "<entity name=\"A\"/>", "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"((\"/>"
        )
        #expect(
            loaded.warnings.map(\.description) == [
                "M:3: warning: the predicate '((' cannot be read; it is left out."
            ])
    }

    @Test("An index's predicate and expression survive the document")
    func index() throws {
        let library = Library()
        let expression = NSExpressionDescription()
        expression.name = "lower"
        expression.expression = NSExpression(format: "lowercase:(title)")
        expression.expressionResultType = .stringAttributeType
        let element = NSFetchIndexElementDescription(property: expression, collationType: .binary)
        let index = NSFetchIndexDescription(name: "byTitle", elements: [element])
        index.partialIndexPredicate = NSPredicate(format: "pages > 100")
        library.book.indexes = [index]
        let again = try reread(library.model)
        #expect(library.model.differences(to: again).map(\.description) == [])
        let indexed = again.entitiesByName["Book"]?.indexes.first
        #expect(indexed?.partialIndexPredicate == index.partialIndexPredicate)
    }
}
