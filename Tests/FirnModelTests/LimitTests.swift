import FirnModel
import Foundation
import Testing

import class FirnFoundation.NSPredicate

/// What limits and templates mean when they are asked.
@Suite struct LimitTests {
    private func limited(_ limits: String) throws -> NSAttributeDescription {
        let text = "<model><entity name=\"A\"><attribute name=\"x\" \(limits)/></entity></model>"
        let loaded = try NSManagedObjectModel.load(document: Array(text.utf8), name: "M")
        return try #require(loaded.model.entitiesByName["A"]?.attributesByName["x"])
    }

    @Test("A number's limits are predicates with Core Data's codes")
    func numbers() throws {
        let x = try limited(
            "attributeType=\"Integer 16\" minValueString=\"1\" maxValueString=\"5\"")
        #expect(x.validationWarnings.map { $0 as? Int } == [1620, 1610])
        #expect(x.validationPredicates.map { $0.evaluate(with: 0) } == [false, true])
        #expect(x.validationPredicates.map { $0.evaluate(with: 5) } == [true, true])
        #expect(x.validationPredicates.map { $0.evaluate(with: 6) } == [true, false])
    }

    @Test("A string's limits measure it, and its pattern matches all of it")
    func strings() throws {
        let x = try limited(
            "attributeType=\"String\" minValueString=\"2\" maxValueString=\"3\" regularExpressionString=\"[a-z]+\""
        )
        #expect(x.validationWarnings.map { $0 as? Int } == [1670, 1660, 1680])
        #expect(x.validationPredicates.map { $0.evaluate(with: "a") } == [false, true, true])
        #expect(x.validationPredicates.map { $0.evaluate(with: "abcd") } == [true, false, true])
        #expect(x.validationPredicates.map { $0.evaluate(with: "ab1") } == [true, true, false])
    }

    @Test("A date's limits are dates")
    func dates() throws {
        let x = try limited(
            "attributeType=\"Date\" minDateTimeInterval=\"0\" maxDateTimeInterval=\"10\"")
        #expect(x.validationWarnings.map { $0 as? Int } == [1640, 1630])
        let dates = [-1.0, 5, 11].map { Date(timeIntervalSinceReferenceDate: $0) }
        #expect(
            dates.map { date in x.validationPredicates.map { $0.evaluate(with: date) } } == [
                [false, true], [true, true], [true, false],
            ])
    }

    @Test("Variables of a template are replaced in a copy")
    func substitution() throws {
        let library = Library()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == $TITLE")
        library.model.setFetchRequestTemplate(request, forName: "named")
        let made = library.model.fetchRequestFromTemplate(
            withName: "named", substitutionVariables: ["TITLE": "A"])
        #expect(made?.predicate == NSPredicate(format: "title == %@", "A"))
        #expect(request.predicate == NSPredicate(format: "title == $TITLE"))
    }
}
