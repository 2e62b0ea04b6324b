#if Server
import FirnInspection
import FirnLog
import FirnProjection
import HTTPTypes
import Hummingbird

/// `/v1/records/N` and `/v1/diff`: what one record did, and what changed between two.
struct RecordRoutes: Sendable {
    static let changeMax = 10_000
    /// Records between the two points of a comparison.
    private static let diffRecordMax: UInt64 = 1_000_000

    let store: ServedStore
    let queries: QueryRunner
    let caching: PastCaching

    /// `/v1/records/N`
    func record(_ request: Request, number: String) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["limit", "offset"])
        let limit = try parameters.integer("limit", in: 1...Self.changeMax, or: 1000)
        let offset = try parameters.integer("offset", in: 0...100_000_000, or: 0)
        let record = try await record(number)
        let object = try await queries.run { [store] _ in
            var object = try store.summary(of: record).json
            guard case .changes(let changes) = record.body else { return object }
            let names = try store.names(at: changes.model)
            object["changes"] = .array(
                try Self.changes(in: changes, names).dropFirst(offset).prefix(limit).map { .object(try $0.json()) })
            if offset + limit < max(changes.objectCount, changes.links.linkCount) {
                object["nextOffset"] = .integer(Int64(offset + limit))
            }
            let links = LinkChange.part(of: changes.links, from: offset, limit: limit, names)
            object["links"] = .array(links.map { .object($0.json) })
            return object
        }
        return try caching.applied(to: .json(object), request, parameters, through: record.sequence)
    }

    func record(_ number: String) async throws -> LogRecord {
        guard number.utf8.count < 20, let sequence = UInt64(number), sequence > 0 else {
            throw RequestFailure.notFound(
                "“\(number.prefix(40))” is no record's number", remedy: "give a whole number from 1 on")
        }
        return try await queries.run { [store] _ in try store.record(at: .sequence(sequence)) }
    }

    /// The changes of single objects in a change set.
    static func changes(in set: ChangeSet, _ names: ModelNames) -> some Sequence<LoggedChange> {
        set.groups.lazy.flatMap { group in
            group.primaryKeys.indices.lazy.map { LoggedChange(group: group, row: $0, names: names) }
        }
    }

    /// `/v1/diff`
    func difference(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["from", "to", "entity"])
        guard let from = try parameters.point("from") else {
            throw RequestFailure.badRequest("there is no from", remedy: "give a record's number or a date")
        }
        let (first, second) = (try store.sequence(at: from), try store.sequence(at: parameters.point("to")))
        let (difference, names, _) = try await comparison(first, second)
        let wanted = try parameters["entity"].map { name in
            try store.described { try difference.model.subtree(of: name) }
        }
        let groups = difference.changes.groups.filter { wanted?.contains($0.entity) ?? true }
        let links = difference.changes.links.filter { wanted?.contains($0.entity) ?? true }
        let object: JSONObject = [
            "from": .number(first.rawValue), "to": .number(second.rawValue), "count": .number(groups.count),
            "changes": .array(
                try groups.prefix(Self.changeMax).map {
                    .object(try LoggedChange(group: $0, row: 0, names: names).json())
                }),
            "links": .array(
                LinkChange.part(of: links, from: 0, limit: Self.changeMax, names).map { .object($0.json) }),
            "truncated": .bool(groups.count > Self.changeMax || links.linkCount > Self.changeMax),
        ]
        return try caching.applied(to: .json(object), request, parameters, through: max(first, second))
    }

    /// The net changes from one record to another, also backwards, and the saves between them.
    func comparison(
        _ first: SequenceNumber, _ second: SequenceNumber
    ) async throws -> (LogDifference, ModelNames, SavesBetween) {
        let (low, high) = (min(first, second), max(first, second))
        guard high.rawValue - low.rawValue <= Self.diffRecordMax else {
            throw RequestFailure.badRequest(
                "there are \(high.rawValue - low.rawValue) records between \(low) and \(high)",
                remedy: "compare points with at most \(Self.diffRecordMax) records in between")
        }
        return try await queries.run { [store] monitor in
            let difference = try store.log.difference(from: low, to: high) { try monitor.check() }
            return (
                first > second ? difference.reversed : difference,
                ModelNames(difference.model, store.log.externalValues),
                try SavesBetween(low, high, store.log) { try monitor.check() }
            )
        }
    }
}
#endif
