#if Server
import FirnInspection
import FirnLog
import Foundation
import Hummingbird

/// The parameters of a request's query. A name that the route does not know is refused, so that a misspelled filter
/// does not answer another question.
struct QueryParameters {
    private static let countMax = 64
    static let textSizeMax = 2048

    private var values: [String: [String]] = [:]
    /// Whether an empty value is one that was left out, as forms send it.
    private let isForm: Bool

    /// - Parameters:
    ///   - single: names that may be given once.
    ///   - repeated: names that may be given several times.
    ///   - isForm: whether an empty value is one that was left out.
    init(_ request: Request, single: Set<String>, repeated: Set<String> = [], isForm: Bool = false) throws {
        self.isForm = isForm
        let pairs = (request.uri.query ?? "").split(separator: "&")
        guard pairs.count <= Self.countMax else {
            throw RequestFailure.badRequest(
                "the query has \(pairs.count) parameters", remedy: "give at most \(Self.countMax)")
        }
        for pair in pairs {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(halves[0])
            let value = halves.count == 2 ? try Self.decoded(halves[1]) : ""
            guard single.contains(name) || repeated.contains(name) else {
                let known = single.union(repeated)
                throw RequestFailure.badRequest(
                    "there is no parameter “\(name)” here" + Suggestion.text(for: name, among: known),
                    remedy: "leave it out, or name one of these")
            }
            guard values[name] == nil || repeated.contains(name) else {
                throw RequestFailure.badRequest("\(name) is given twice", remedy: "give it once")
            }
            guard value.utf8.count <= Self.textSizeMax else {
                throw RequestFailure.badRequest(
                    "\(name) has \(value.utf8.count) bytes", remedy: "give at most \(Self.textSizeMax)")
            }
            values[name, default: []].append(value)
        }
    }

    private static func decoded(_ text: Substring) throws -> String {
        guard let decoded = text.replacing("+", with: " ").removingPercentEncoding, !decoded.contains("\0") else {
            throw RequestFailure.badRequest(
                "the query is not percent-encoded UTF-8", remedy: "encode it, as curl --data-urlencode does")
        }
        return decoded
    }

    /// The value of a name; nil if it was left out.
    subscript(name: String) -> String? { all(name).first }

    func all(_ name: String) -> [String] { values[name]?.filter { !isForm || !$0.isEmpty } ?? [] }

    /// A whole number within limits; `fallback` if it was left out.
    func integer(_ name: String, in range: ClosedRange<Int>, or fallback: Int) throws -> Int {
        guard let text = self[name] else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw RequestFailure.badRequest(
                "\(name) is “\(text.prefix(40))”",
                remedy: "give a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        case let text?:
            throw RequestFailure.badRequest("\(name) is “\(text.prefix(40))”", remedy: "give true or false")
        }
    }

    func point(_ name: String) throws -> Point? {
        try self[name].map { text in
            guard let point = Point(text) else {
                throw RequestFailure.badRequest(
                    "\(name) is “\(text.prefix(40))”",
                    remedy: "give \(Point.examples)")
            }
            return point
        }
    }

    /// The understood times among the parameters.
    func timeReadings(in log: SegmentLog) throws -> [String] {
        try values.keys.sorted().filter(Self.points.contains)
            .compactMap { try self[$0].flatMap { Point($0) }?.explanation(in: log) }
    }

    /// The understood times as a field of a response; nil if there are none.
    func timesField(in log: SegmentLog) throws -> String? {
        let readings = try timeReadings(in: log)
        return readings.isEmpty ? nil : readings.joined(separator: "; ")
    }

    /// With the day that a parameter names as one that is over: of a range that ends with it, it is a part.
    func throughDay(_ name: String) -> QueryParameters {
        guard let text = self[name], text.wholeMatch(of: #/\d{4}-\d{2}-\d{2}/#) != nil else { return self }
        var result = self
        result.values[name] = [text + " 23:59:59.999999"]
        return result
    }

    private static let points: Set<String> = ["after", "as-of", "before", "from", "to"]

    /// The query again, with one parameter of another value, or without it.
    func query(replacing name: String, with value: String?) -> String { query(replacing: [name: value]) }

    /// The query again, with some parameters of other values, or without them.
    func query(replacing others: [String: String?]) -> String {
        let all = values.merging(others.mapValues { $0.map { [$0] } ?? [] }) { $1 }
        return all.sorted { $0.key < $1.key }
            .flatMap { name, values in values.filter { !$0.isEmpty }.map { Self.encoded(name) + "=" + Self.encoded($0) }
            }
            .joined(separator: "&")
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// https://www.rfc-editor.org/rfc/rfc3986#section-2.3
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
#endif
