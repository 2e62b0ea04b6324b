import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation
import Testing

@Suite("IN with many members")
struct MembershipTests {
    /// Values of many kinds, some equal across types, some alike but not equal.
    nonisolated(unsafe) static let values: [Any] = [
        "a", "é", "e\u{301}", "A", 1, 1.0, 1.5, NSNumber(value: 2), true, UInt64.max, Decimal(2),
        Date(timeIntervalSince1970: 1),
        UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID(), NSNull(), Data([1]), [1, 2], "1",
        URL(fileURLWithPath: "/"), NSObject(), NSDecimalNumber(value: 1.5), "a" as NSString,
    ]

    @Test("The index answers as the search along the members does, for values of all kinds")
    func agreement() throws {
        for omitted in Self.values.indices {
            var members = Self.values
            members.remove(at: omitted)
            for value in Self.values {
                let indexed = try contains(value, members)
                let searched = members.contains { ValueComparison.equal($0, value) }
                #expect(indexed == searched, "\(value) in all but \(Self.values[omitted])")
            }
        }
    }

    @Test("Options are heeded with many members too")
    func options() {
        let names = (0..<100).map { "Name \($0)" }
        #expect(NSPredicate(format: "SELF IN[c] %@", argumentArray: [names]).evaluate(with: "NAME 7"))
        #expect(!NSPredicate(format: "SELF IN %@", argumentArray: [names]).evaluate(with: "NAME 7"))
    }

    @Test("ANY … IN asks for each member")
    func anyIn() {
        let many = Array(0..<1000)
        let predicate = NSPredicate(format: "ANY SELF IN %@", argumentArray: [many])
        #expect(predicate.evaluate(with: [-1, 999]))
        #expect(!predicate.evaluate(with: [-1, 1000]))
    }

    private func contains(_ value: Any, _ members: [Any]) throws -> Bool {
        try NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(),
            rightExpression: NSExpression(forConstantValue: members), modifier: .direct, type: .in
        ).holds(for: value)
    }
}
