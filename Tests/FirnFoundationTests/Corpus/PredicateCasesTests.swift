import FirnFoundation
import TestSupport
import Testing

@Suite("Expectations of public suites", .needsCorpus)
struct PredicateCasesTests {
    /// Cases that do not hold here, and why. One that begins to hold fails the test.
    static let deviations: [String: String] = [
        #"format: %K like %@+$b+$c -> $single LIKE ("b\"" + $b) + $c"#:
            "a key that is no word is written as a function, so that it parses back",
        #"format-subst: %K like %@+$b+$c -> "#
            + #"$single LIKE ("b\"" + "val_for_$b") + "val_for_$c""#:
            "a key that is no word is written as a function, so that it parses back",
        "format: a = 1 -> a = 1":
            "Apple prints ==, as other cases assert",
        "throws-expr: 12.845 * x + (y) -> exception":
            "a sum with nil is nil, as in a store",
        "eval: 'b' LIKE[c] '[a-c]' -> true":
            "LIKE has no classes of characters by Apple's documentation",
    ]

    @Test("There are 479 of them")
    func count() {
        #expect(PredicateCase.all.count == 479)
    }

    @Test("Each holds, or stands in the table of deviations")
    func hold() {
        for predicateCase in PredicateCase.all {
            let complaint = predicateCase.complaint()
            if let reason = Self.deviations[predicateCase.name] {
                #expect(complaint != nil, "holds now: \(predicateCase.name) (\(reason))")
            } else if let complaint {
                Issue.record("line \(predicateCase.line), \(predicateCase.name): \(complaint)")
            }
        }
    }

    @Test("The table of deviations names cases that there are")
    func deviationsExist() {
        let names = Set(PredicateCase.all.map(\.name))
        #expect(Set(Self.deviations.keys).subtracting(names) == [])
    }
}
