import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation
import Testing

@Suite("Members of dictionaries")
struct DictionaryMemberTests {
    @Test(
        "A key is found by what it is equal to, decimals too, which Linux's Foundation cannot hash",
        arguments: [NSNumber(value: 2), NSNumber(value: 2.0), NSDecimalNumber(string: "2")])
    func number(_ key: NSNumber) {
        let expression = NSExpression(
            forFunction: "objectFrom:withIndex:",
            arguments: [
                NSExpression(forConstantValue: [1: "one", 2: "two"] as NSDictionary),
                NSExpression(forConstantValue: key),
            ])
        #expect(expression.expressionValue(with: nil, context: nil) as? String == "two")
    }

    @Test("A decimal that is no key has no member")
    func missing() {
        let expression = NSExpression(
            forFunction: "objectFrom:withIndex:",
            arguments: [
                NSExpression(forConstantValue: ["a": "one"] as NSDictionary),
                NSExpression(forConstantValue: NSDecimalNumber(string: "0.5")),
            ])
        #expect(expression.expressionValue(with: nil, context: nil) == nil)
    }
}
