import FirnFoundation
import class FirnFoundation.NSPredicate
import Foundation
import TestSupport
import Testing

@Suite("Format strings of shipping applications", .needsCorpus)
struct FormatsInTheWildTests {
    static let formats: [String] = Corpus.isPresent ? (try? read()) ?? [] : []

    private static func read() throws -> [String] {
        let url = Corpus.url("predicates/formats_in_the_wild.tsv")
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst()
            .map { String($0.prefix { $0 != "\t" }) }
    }

    @Test("There are 1,064 of them")
    func count() {
        #expect(Self.formats.count == 1064)
    }

    /// Those that are no predicate by themselves, and why.
    static let fragments: [String: String] = [
        "label == '": "the application appends the rest",
        "label != '": "the application appends the rest",
        "label MATCHES '": "the application appends the rest",
        "value == '": "the application appends the rest",
        "%K ": "the application appends the rest",
        "": "nothing is said",
        "%K": "an expression's format",
    ]

    @Test("Fragments that an application completes are errors")
    func fragmentsFail() {
        for format in Self.fragments.keys {
            #expect(Self.formats.contains(format))
            #expect(throws: PredicateFormatError.self, "\(format)") {
                try NSPredicate(
                    validatingFormat: format, argumentArray: ArgumentsForFormat.arguments(format))
            }
        }
    }

    @Test("Each parses, and what it prints parses back to an equal predicate")
    func roundTrip() throws {
        for format in Self.formats where Self.fragments[format] == nil {
            do {
                let predicate = try NSPredicate(
                    validatingFormat: format, argumentArray: ArgumentsForFormat.arguments(format))
                let printed = predicate.predicateFormat
                let again = try NSPredicate(validatingFormat: printed)
                #expect(again == predicate, "\(format) prints \(printed)")
                #expect(again.hash == predicate.hash)
                #expect(again.predicateFormat == printed)
            } catch {
                Issue.record("\(format): \(error)")
            }
        }
    }
}
