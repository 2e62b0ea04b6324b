import FirnFoundation
import class FirnFoundation.NSPredicate
import Testing

/// Formats that the fuzzer found to parse, but not to parse back from what they print.
@Suite("What the fuzzer found")
struct FuzzerFindingsTests {
    @Test(
        "prints what parses back to an equal predicate",
        arguments: ["@count [c] NOT BETWEEN 'text'", "NOT @count == 1", "ANY @count > 1"])
    func roundTrip(_ format: String) throws {
        let predicate = try NSPredicate(validatingFormat: format, argumentArray: [])
        let again = try NSPredicate(validatingFormat: predicate.predicateFormat, argumentArray: [])
        #expect(again == predicate, "\(predicate.predicateFormat)")
    }
}
