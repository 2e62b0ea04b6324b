import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSPredicate

/// Section (m): texts and numbers compared with each other, as foreign code relies on SQLite's columns to compare them.
@Suite("Conformance (m): texts compared with numbers")
struct ColumnAffinityConformanceTests {
    let context: NSManagedObjectContext

    init() throws {
        let order = ModelSketch.entity(
            "Order",
            [
                ModelSketch.attribute("name"), ModelSketch.attribute("plate"),
                ModelSketch.attribute("number", .integer32AttributeType),
                ModelSketch.attribute("weight", .doubleAttributeType),
                ModelSketch.attribute("price", .decimalAttributeType),
                ModelSketch.attribute("isPaid", .booleanAttributeType),
                ModelSketch.attribute("day", .dateAttributeType),
            ])
        let customer = ModelSketch.entity("Customer", [ModelSketch.attribute("name")])
        ModelSketch.relate(customer, "orders", toMany: order, "customer")
        context = try Library.inMemory(ModelSketch.model(order, customer)).context()
    }

    /// Orders 9, 42 and 100 with everything in the same proportion, and one without values.
    private func fill(saving: Bool = true) throws {
        let ada = context.make("Customer", ["name": "Ada"])
        for number in [9, 42, 100] {
            _ = context.make(
                "Order",
                [
                    "name": "\(number)", "plate": "\(number)", "number": number, "weight": Double(number) / 4,
                    "price": Decimal(string: "\(number).10") ?? 0, "isPaid": number > 9,
                    "day": Date(timeIntervalSinceReferenceDate: Double(number)), "customer": ada,
                ])
        }
        _ = context.make("Order", ["name": "empty"])
        if saving { try context.save() }
    }

    private func names(_ predicate: NSPredicate, _ entity: String = "Order") throws -> Set<String> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return Set(try context.fetch(request).compactMap { $0.text("name") })
    }

    struct Question: Sendable, CustomStringConvertible {
        let format: String
        let names: Set<String>

        var description: String { format }

        init(_ format: String, _ names: Set<String>) {
            self.format = format
            self.names = names
        }

        static let numbers = [
            Question("number = '42'", ["42"]), Question("'42' = number", ["42"]),
            Question("number != '42'", ["9", "100"]),
            Question("number >= '42'", ["42", "100"]), Question("number < '42'", ["9"]),
            Question("number = ' 42.0 '", ["42"]), Question("number = '4.2e1'", ["42"]),
            Question("number IN {'9', '100', 'x'}", ["9", "100"]), Question("number BETWEEN {'9', '42'}", ["9", "42"]),
            Question("weight = '2.25'", ["9"]), Question("weight > '2.25'", ["42", "100"]),
            Question("price = '42.1'", ["42"]), Question("price <= '42.10'", ["9", "42"]),
            Question("isPaid = '1'", ["42", "100"]), Question("isPaid = '0'", ["9"]),
            Question("day > '42'", ["100"]), Question("day = 42", ["42"]),
            Question("day BETWEEN {9, 42}", ["9", "42"]),
            Question("number + 1 = '43'", ["42"]), Question("NOT (number = '42')", ["9", "100"]),
        ]

        static let nonNumbers = [
            Question("number = '42x'", []), Question("number = ''", []), Question("number = '0x2a'", []),
            Question("number != 'many'", ["9", "42", "100"]), Question("number < 'many'", ["9", "42", "100"]),
            Question("number > 'many'", []), Question("'many' > weight", ["9", "42", "100"]),
            Question("price >= 'many'", []), Question("NOT (number < 'many')", []),
        ]

        static let texts = [
            Question("plate == 42", ["42"]), Question("42 == plate", ["42"]),
            Question("plate IN {9, 100}", ["9", "100"]),
            Question("plate == 42.0", []), Question("plate < 9", ["42", "100"]), Question("plate == TRUE", []),
            Question("plate == number", ["9", "42", "100"]), Question("number <= plate", ["9", "42", "100"]),
            Question("plate > weight", ["9", "42", "100"]),
        ]
    }

    /// [S]
    @Test(
        "m.1 a fetch finds numbers, decimals, Booleans and dates by a text that is a number",
        arguments: Question.numbers)
    func numbers(_ question: Question) throws {
        try fill()
        #expect(try names(NSPredicate(format: question.format)) == question.names)
    }

    /// [S] SQLite holds every text for greater than every number.
    @Test("m.1 a text that is no number equals none, and is greater than all of them", arguments: Question.nonNumbers)
    func nonNumbers(_ question: Question) throws {
        try fill()
        #expect(try names(NSPredicate(format: question.format)) == question.names)
    }

    /// [S]
    @Test("m.1 a fetch finds texts by the number that they spell", arguments: Question.texts)
    func texts(_ question: Question) throws {
        try fill()
        #expect(try names(NSPredicate(format: question.format)) == question.names)
    }

    /// [S]
    @Test("m.1 arguments are converted as literals are, dates as their seconds")
    func arguments() throws {
        try fill()
        let (text, seconds) = ("42" as NSString, Date(timeIntervalSinceReferenceDate: 42) as NSDate)
        #expect(try names(NSPredicate(format: "number == %@", text)) == ["42"])
        #expect(try names(NSPredicate(format: "number IN %@", ["9", "42"] as NSArray)) == ["9", "42"])
        #expect(try names(NSPredicate(format: "number == %@", seconds)) == ["42"])
        #expect(try names(NSPredicate(format: "plate == %@", NSNumber(value: 42))) == ["42"])
        #expect(try names(NSPredicate(format: "plate == %@", NSDecimalNumber(string: "42"))) == ["42"])
        #expect(try names(NSPredicate(format: "ANY orders.number == %@", text), "Customer") == ["Ada"])
        #expect(
            try names(NSPredicate(format: "SUBQUERY(orders, $o, $o.number > '42').@count == 1"), "Customer") == ["Ada"])
    }

    @Test(
        "m.1 a fetch finds an object before it is saved by what finds it afterwards",
        arguments: Question.numbers + Question.nonNumbers + Question.texts)
    func unsaved(_ question: Question) throws {
        try fill(saving: false)
        #expect(try names(NSPredicate(format: question.format)) == question.names)
    }

    @Test("m.1 the plan of a request is kept for a text and for a number alike")
    func plans() throws {
        try fill()
        for value in [42 as NSNumber, "42" as NSString, "x" as NSString, 9 as NSNumber, "9" as NSString]
            as [any CVarArg]
        {
            let expected: Set<String> = "\(value)" == "x" ? [] : ["\(value)"]
            #expect(try names(NSPredicate(format: "number == %@", value)) == expected)
        }
    }

    /// [S] Apple's `evaluate` is strict: an object that a predicate is asked of converts nothing.
    @Test("m.1 evaluate stays strict about kinds where a fetch converts")
    func strict() throws {
        try fill()
        let order = try #require(try context.all("Order").first { $0.text("name") == "42" })
        #expect(!NSPredicate(format: "number == '42'").evaluate(with: order))
        #expect(!NSPredicate(format: "plate IN {42}").evaluate(with: order))
        #expect(NSPredicate(format: "number == 42").evaluate(with: order))
    }

    @Test("m.1 a results controller keeps an object that it found by a text when the object changes")
    func controller() throws {
        try fill()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Order")
        request.predicate = NSPredicate(format: "number >= '42'")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let listener = Listener()
        controller.delegate = listener
        try controller.performFetch()
        controller.fetchedObjects?.first?.setValue("changed", forKey: "plate")
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.map { $0.text("name") } == ["42", "100"])
        withExtendedLifetime(listener) {}
    }

    private final class Listener: NSObject, NSFetchedResultsControllerDelegate {
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    }
}
