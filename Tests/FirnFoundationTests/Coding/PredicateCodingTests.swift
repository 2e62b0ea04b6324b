import FirnFoundation
import Foundation
import TestSupport
import Testing

import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate

@Suite("An archived predicate")
struct PredicateCodingTests {
    private func roundTrip(_ predicate: NSPredicate) throws -> NSPredicate? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
    }

    @Test("comes back as an equal one of its class, whatever it says")
    func random() throws {
        var random = RandomPredicate(generator: SeededGenerator())
        for _ in 0..<300 {
            let predicate = random.predicate(depth: 4)
            let again = try roundTrip(predicate)
            #expect(again == predicate, "\(random.generator): \(predicate)")
            #expect(again.map { type(of: $0) == type(of: predicate) } == true, "\(random.generator): \(predicate)")
        }
    }

    @Test("keeps dates, UUIDs, data, decimals, URLs and null exactly")
    func constants() throws {
        let values: [Any] = [
            Date(timeIntervalSinceReferenceDate: 0.1 + 0.2), UUID(), Data([0, 255]), NSDecimalNumber(string: "1.10"),
            try #require(URL(string: "https://x.org/a?b")), NSNull(), 1 << 62, Double.leastNonzeroMagnitude, "\"\\\0é",
        ]
        for value in values {
            let predicate = NSPredicate(format: "a == %@", argumentArray: [value])
            #expect(try roundTrip(predicate) == predicate, "\(value)")
        }
    }

    @Test("is no predicate of another class")
    func otherClass() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSPredicate(format: "a == 1"), requiringSecureCoding: true)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        unarchiver.setClass(NSCompoundPredicate.self, forClassName: NSStringFromClass(NSComparisonPredicate.self))
        #expect(unarchiver.decodeObject(of: NSCompoundPredicate.self, forKey: NSKeyedArchiveRootObjectKey) == nil)
    }

    @Test("with a closure cannot be made")
    func block() async {
        let outcome = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let predicate = NSPredicate { _, _ in true }
            _ = try? NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        }
        let said = outcome.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(said.contains("BLOCKPREDICATE cannot be encoded"))
    }

    @Test("An archived expression comes back as an equal one")
    func expression() throws {
        for format in ["a.b + 1", "{1, 'x', $y}", "FUNCTION(SELF, \"f:\", 2)", "FETCH($request, $context, NO)"] {
            let expression = NSExpression(format: format)
            let data = try NSKeyedArchiver.archivedData(withRootObject: expression, requiringSecureCoding: true)
            #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data) == expression)
        }
    }
}
