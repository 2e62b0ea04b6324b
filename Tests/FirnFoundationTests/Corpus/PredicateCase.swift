import FirnFoundation
import class FirnFoundation.NSExpression
import Foundation
import TestSupport

/// One expectation of the corpus' `cases.tsv`.
struct PredicateCase {
    let line: Int
    let format: String
    let object: Any?
    let expected: String
    let kind: String
    let arguments: [Any]
    let bindings: [String: Any]?

    /// What tells the case apart in the table of those that do not hold.
    var name: String { "\(kind): \(format) -> \(expected)" }

    nonisolated(unsafe) static let all: [PredicateCase] = Corpus.isPresent ? (try? read()) ?? [] : []

    private static func read() throws -> [PredicateCase] {
        let text = try String(contentsOf: Corpus.url("predicates/cases.tsv"), encoding: .utf8)
        return try text.split(separator: "\n").enumerated().dropFirst().map { index, line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return PredicateCase(
                line: index + 1, format: columns[0], object: try value(columns[1]),
                expected: columns[2], kind: columns[4],
                arguments: try value(columns[5]) as? [Any] ?? [],
                bindings: try value(columns[6]) as? [String: Any])
        }
    }

    /// The expected value of a case whose expectation is JSON.
    func expectedValue() throws -> Any? { try Self.value(expected) }

    static func value(_ json: String) throws -> Any? {
        guard !json.isEmpty else { return nil }
        let raw = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        let value = unwrapped(raw)
        return value is NSNull ? nil : value
    }

    /// The value with what JSON lacks out of its wrapping.
    private static func unwrapped(_ value: Any) -> Any {
        if let array = value as? [Any] { return array.map(unwrapped) }
        guard let dictionary = value as? [String: Any] else { return value }
        if dictionary.count == 1, let (key, content) = dictionary.first {
            switch (key, content) {
            case ("$date", let text as String):
                return ISO8601DateFormatter().date(from: text) ?? Date.distantPast
            case ("$data", let text as String): return Data(base64Encoded: text) ?? Data()
            case ("$url", let text as String): return URL(string: text) ?? NSNull()
            case ("$set", let members as [Any]): return NSSet(array: members.map(unwrapped))
            case ("$keypath", let path as String): return NSExpression(forKeyPath: path)
            default: break
            }
        }
        return dictionary.mapValues(unwrapped)
    }
}
