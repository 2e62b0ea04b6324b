#if Server
import FirnFoundation
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import Foundation

import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// The selection of an entity's objects that a client asks for.
struct ObjectQuery: Sendable {
    static let limitMax = 1000
    static let offsetMax = 100_000_000
    private static let argumentCountMax = 100

    let entity: String
    /// A predicate format; its values come apart from it.
    let predicate: String?
    let arguments: [JSON]
    /// Keys or key paths, each perhaps with `:desc`.
    let sort: [String]
    let limit: Int
    let offset: Int

    /// The parameters that a query is made of.
    static let parameters: (single: Set<String>, repeated: Set<String>) = (
        ["predicate", "arguments", "as-of", "limit", "offset"], ["sort"]
    )

    init(entity: String, _ parameters: QueryParameters, limit fallback: Int = 100) throws {
        self.entity = entity
        predicate = parameters["predicate"]
        sort = parameters.all("sort")
        limit = try parameters.integer("limit", in: 1...Self.limitMax, or: fallback)
        offset = try parameters.integer("offset", in: 0...Self.offsetMax, or: 0)
        arguments = try parameters["arguments"].map(Self.arguments) ?? []
        guard arguments.isEmpty || predicate != nil else {
            throw RequestFailure.badRequest("there are arguments but no predicate", remedy: "give both, or neither")
        }
    }

    /// All objects of an entity and those below it.
    init(allOf entity: String) {
        self.entity = entity
        (predicate, arguments, sort, limit, offset) = (nil, [], [], Int.max - 1, 0)
    }

    private static func arguments(_ text: String) throws -> [JSON] {
        guard let json = try? JSON(parsing: text), case .array(let values) = json else {
            throw RequestFailure.badRequest(
                "the arguments are no JSON array", remedy: #"write them as in ["Ann", 30, {"date": "2026-11-21Z"}]"#)
        }
        guard values.count <= argumentCountMax else {
            throw RequestFailure.badRequest(
                "there are \(values.count) arguments", remedy: "give at most \(argumentCountMax)")
        }
        return values
    }

    /// The query as SQL. What is wrong with it is said with its place.
    func plan(_ schema: StoreSchema) throws -> FetchPlan {
        guard let described = schema.entities.first(where: { $0.name == entity }) else {
            throw RequestFailure.notFound(
                "the store's model has no entity “\(entity)”"
                    + Suggestion.text(for: entity, among: schema.entities.compactMap(\.name)),
                remedy: "ask /v1/store for the entities")
        }
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = described
        // One more than is shown says whether there is a next page.
        request.fetchLimit = limit == Int.max - 1 ? 0 : limit + 1
        request.fetchOffset = offset
        request.predicate = try condition()
        request.sortDescriptors = try sort.map(Self.sortDescriptor)
        do {
            return try FetchPlan(request, schema: schema)
        } catch let error as UnsupportedPredicate {
            throw RequestFailure.badRequest(
                error.description, remedy: "write the predicate in what SQL can answer, with the model's names")
        }
    }

    private func condition() throws -> NSPredicate? {
        guard let predicate else { return nil }
        do {
            return try NSPredicate(validatingFormat: predicate, argumentArray: arguments.map(Self.value))
        } catch let failure as RequestFailure {
            throw failure
        } catch {
            throw RequestFailure.badRequest(
                "the predicate cannot be read: \(error)",
                remedy: "write a predicate format, with %@ or %K for each of the arguments")
        }
    }

    private static func value(_ json: JSON) throws -> Any {
        switch json {
        case .null: return NSNull()
        case .bool(let value): return NSNumber(value: value)
        case .integer(let value): return NSNumber(value: value)
        case .real(let value): return NSNumber(value: value)
        case .text(let value): return value
        case .array(let values): return try values.map(value)
        case .object:
            if let date = json["date"]?.text.flatMap({ LogDate(parsing: $0) }) {
                return Date(timeIntervalSince1970: Double(date.microseconds) / 1e6)
            }
            if let uuid = json["uuid"]?.text.flatMap(UUID.init) { return uuid }
            throw RequestFailure.badRequest(
                "the argument \(json.line.prefix(60)) is no value",
                remedy: #"write {"date": "2026-11-21T05:21:33Z"} or {"uuid": "…"}"#)
        }
    }

    private static func sortDescriptor(_ text: String) throws -> NSSortDescriptor {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard !parts[0].isEmpty, parts.count < 2 || ["asc", "desc"].contains(parts[1]) else {
            throw RequestFailure.badRequest(
                "sort is “\(text.prefix(40))”", remedy: "write a key, KEY:asc or KEY:desc")
        }
        return NSSortDescriptor(key: String(parts[0]), ascending: parts.count < 2 || parts[1] == "asc")
    }
}
#endif
