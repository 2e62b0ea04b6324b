import FirnFoundation
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Testing

@Suite("Mistakes in a format")
struct FormatErrorTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let format: String
        let offset: Int
        let message: String
        var code = PredicateFormatError.Code.syntax

        var testDescription: String { format }
    }

    static let mistakes = [
        Mistake(format: "", offset: 0, message: "expected an expression, found the end"),
        Mistake(format: "name", offset: 0,
            message: "expected a comparison such as 'name == \"x\"', found an expression alone"),
        Mistake(format: "name == ", offset: 8, message: "expected an expression, found the end"),
        Mistake(format: "name == == 3", offset: 8, message: "expected an expression, found '=='"),
        Mistake(format: "a == 1 AND", offset: 10, message: "expected an expression, found the end"),
        Mistake(format: "a == 1 AND b", offset: 11, message: "expected a comparison after 'AND'"),
        Mistake(format: "(a == 1", offset: 7, message: "expected ')' to close the parenthesis, found the end"),
        Mistake(format: "a == 'x", offset: 5, message: "the string that begins here has no closing '"),
        Mistake(format: "a ==[x] 'b'", offset: 5, message: "there is no option 'x'; there are c, d, n and l"),
        Mistake(format: "a == b c", offset: 7, message: "expected an operator or the end, found 'c'"),
        Mistake(format: "a IN {1, 2", offset: 10, message: "expected '}' or ',' in a list, found the end"),
        Mistake(format: "a.1 == 2", offset: 2, message: "expected a key after '.', found '1'"),
        Mistake(format: "a == in", offset: 5,
            message: "expected an expression, found the operator 'in'; a key of that name is #in"),
        Mistake(format: "a == ?", offset: 5, message: "unexpected '?'"),
        Mistake(format: "a == 12abc", offset: 7, message: "expected an operator after a number, found 'a'"),
        Mistake(format: "a == '\\u12'", offset: 8, message: "expected 4 hexadecimal digits of a character"),
        Mistake(format: "a == %@", offset: 5, message: "%@ needs argument 1, but there are 0",
            code: .missingArgument),
        Mistake(format: "twice:(a) == 2", offset: 0,
            message: "there is no function twice:; a method is called FUNCTION(operand, \"twice:\", …)",
            code: .unknownFunction),
        Mistake(format: "uppercase:(a, b) == 2", offset: 0,
            message: "uppercase: does not take 2 arguments", code: .unknownFunction),
    ]

    @Test("Each names the place and what was expected", arguments: mistakes)
    func place(_ mistake: Mistake) {
        let error = #expect(throws: PredicateFormatError.self) {
            try NSPredicate(validatingFormat: mistake.format)
        }
        #expect(
            error
                == PredicateFormatError(
                    code: mistake.code, format: mistake.format, offset: mistake.offset,
                    message: mistake.message))
    }

    @Test("A number for %K is an error that names both")
    func wrongArgument() {
        let error = #expect(throws: PredicateFormatError.self) {
            try NSPredicate(validatingFormat: "%K == 3", argumentArray: [4])
        }
        #expect(error?.code == .unexpectedArgument)
        #expect(error?.message == "%K needs a key path, but its argument is a Int")
    }

    @Test("The diagram puts a caret below the place, on its line")
    func diagram() {
        let error = #expect(throws: PredicateFormatError.self) {
            try NSPredicate(validatingFormat: "a == 1\nAND b = = 2")
        }
        #expect(error?.diagram == "AND b = = 2\n        ^ expected an expression, found '='")
    }

    @Test("A hundred thousand parentheses are an error, not a stack overflow", arguments: ["(", "NOT ", "-", "{", "a["])
    func deepNesting(_ opening: String) {
        let format = String(repeating: opening, count: 100_000) + "a == 1"
        let error = #expect(throws: PredicateFormatError.self) {
            try NSPredicate(validatingFormat: format)
        }
        #expect(error?.code == .tooDeep)
    }

    @Test("A sum of a hundred thousand terms is an error, not a stack overflow")
    func longChain() {
        let format = "a" + String(repeating: " + a", count: 100_000)
        let error = #expect(throws: PredicateFormatError.self) {
            try NSExpression(validatingFormat: format)
        }
        #expect(error?.code == .tooDeep)
    }

    @Test("Ten thousand comparisons joined by OR are one flat predicate")
    func longJoint() throws {
        let format = Array(repeating: "a == 1", count: 10_000).joined(separator: " OR ")
        let predicate = try NSPredicate(validatingFormat: format) as? NSCompoundPredicate
        #expect(predicate?.subpredicates.count == 10_000)
    }
}
