import FirnFoundation
import class FirnFoundation.NSPredicate
import TestSupport
import Testing

@Suite("Printing a predicate")
struct FormatRoundTripTests {
    @Test("What a random tree prints parses back to an equal tree")
    func randomTrees() {
        var random = RandomPredicate(generator: SeededGenerator())
        for _ in 0..<3_000 {
            let predicate = random.predicate(depth: 4)
            let printed = predicate.predicateFormat
            do {
                let again = try NSPredicate(validatingFormat: printed)
                #expect(again == predicate, "\(random.generator): \(printed) is \(again)")
                #expect(again.hash == predicate.hash, "\(random.generator): \(printed)")
            } catch {
                Issue.record("\(random.generator): \(error)")
            }
        }
    }

    @Test("A random tree has an answer or an error for any object, and does not trap")
    func randomTreesEvaluate() {
        var random = RandomPredicate(generator: SeededGenerator())
        let object: [String: Any] = ["name": "x", "size": [1, 2], "a": ["b": ["c": 3]], "c": [1]]
        var answers = 0
        for _ in 0..<3_000 {
            let predicate = random.predicate(depth: 3)
            let answer = try? predicate.holds(for: object, substitutionVariables: ["x": 1])
            answers += answer == nil ? 0 : 1
        }
        #expect(answers > 0, "\(random.generator)")
    }
}
