#if Server
import FirnInspection
import FirnLog
import FirnProjection
import FirnSQLite
import HTTPTypes
import Hummingbird

/// `/v1/objects`: objects as they are or were, and what happened to them.
struct ObjectRoutes: Sendable {
    private static let historyLimitMax = 1000

    let store: ServedStore
    let tables: StateReader
    let queries: QueryRunner
    let caching: PastCaching

    /// `/v1/objects/ENTITY`
    func list(_ request: Request, entity: String) async throws -> Response {
        let parameters = try QueryParameters(
            request, single: ObjectQuery.parameters.single, repeated: ObjectQuery.parameters.repeated)
        let query = try ObjectQuery(entity: entity, parameters)
        let sequence = try parameters.point("as-of").map(store.state(at:))
        let rows = try await rows(query, at: sequence)
        let object: JSONObject = [
            "entity": .text(entity), "asOf": .number(rows.sequence.rawValue),
            "objects": .array(try rows.rows.prefix(query.limit).map { .object(try $0.json()) }),
            "nextOffset": rows.rows.count > query.limit ? .number(query.offset + query.limit) : nil,
        ]
        return try caching.applied(to: .json(object), request, parameters, through: rows.sequence)
    }

    /// The rows of a query, with one more than its limit if there are more.
    func rows(_ query: ObjectQuery, at sequence: SequenceNumber?) async throws -> ObjectRows {
        try await queries.run { [store, tables] monitor in
            try tables.read(at: sequence) { state in
                let plan = try query.plan(state.schema)
                let names = ModelNames(state.schema.logModel, store.log.externalValues)
                do {
                    return ObjectRows(try state.reader.rows(plan, monitor), state, names, entity: plan.entity)
                } catch let error as SQLiteError where error.code == .error {
                    // A function of ours refused its arguments, such as a regular expression.
                    throw RequestFailure.badRequest(error.message, remedy: "write the predicate otherwise")
                }
            }
        }
    }

    /// `/v1/objects/ENTITY/KEY`
    func object(_ request: Request, entity: String, key: String) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["as-of"])
        let name = try store.described { try ObjectName("\(entity)/\(key)") }
        let sequence = try parameters.point("as-of").map(store.state(at:))
        guard let object = try await object(name, at: sequence) else {
            throw RequestFailure.notFound(
                "there is no \(name.text) then", remedy: "its history says when it was there")
        }
        return try caching.applied(to: .json(object.json()), request, parameters, through: object.sequence)
    }

    func object(_ name: ObjectName, at sequence: SequenceNumber?) async throws -> StoredObject? {
        try await queries.run { [store, tables] _ in
            try tables.read(at: sequence) { state in
                let names = ModelNames(state.schema.logModel, store.log.externalValues)
                return try StoredObject(name, state, names, of: store.log)
            }
        }
    }

    /// `/v1/objects/ENTITY/KEY/values/PROPERTY`: the bytes of a binary value, or the text of another.
    func value(_ request: Request, entity: String, key: String, property: String) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["as-of"])
        let name = try store.described { try ObjectName("\(entity)/\(key)") }
        let sequence = try parameters.point("as-of").map(store.state(at:))
        let (value, shown) = try await queries.run { [store, tables] _ in
            try tables.read(at: sequence) { state -> (ValueText?, SequenceNumber) in
                let model = try store.log.model(inForceAt: state.sequence)?.sequence ?? state.model
                // By its name of then, or by that of now.
                for names in try [store.names(at: model), store.laterNames(at: model)] {
                    let values = try StoredObject.values(of: name, state, names, store.log)
                    let found = values.first { $0.name == property && !$0.value.value.isNull }
                    if let found { return (found.value, state.sequence) }
                }
                return (nil, state.sequence)
            }
        }
        guard let value else {
            throw RequestFailure.notFound(
                "there is no value of \(property.prefix(40)) in \(name.text) then",
                remedy: "ask for the object, which lists its values")
        }
        var response = Response.text(value.text ?? "", type: "text/plain; charset=utf-8")
        if case .blob(let bytes) = value.value, let kind = MediaType(value) {
            response = Response(
                status: .ok, headers: [.contentType: kind.mediaType],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try value.names.value(bytes))))
            // A browser shows an image, and keeps whatever else it may be.
            if !kind.isImage { response.headers[.contentDisposition] = "attachment" }
        }
        return try caching.applied(to: response, request, parameters, through: shown)
    }

    /// `/v1/objects/ENTITY/KEY/history`
    func history(_ request: Request, entity: String, key: String) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["after", "limit"])
        let name = try store.described { try ObjectName("\(entity)/\(key)") }
        let limit = try parameters.integer("limit", in: 1...Self.historyLimitMax, or: 100)
        let start = try parameters.point("after").map(store.sequence(at:))
        let (history, head) = try await history(name, after: start ?? .zero, limit: limit)
        let position = history.next == nil ? head : history.entries.last?.record.sequence ?? head
        return .json([
            "object": .text(name.text), "changes": .array(try history.entries.map { .object(try $0.json()) }),
            "position": .number(position.rawValue), "complete": .bool(history.next == nil),
        ])
    }

    /// The newest changes up to a record, perhaps those of one property.
    func versions(
        _ name: ObjectName, of property: String?, through last: SequenceNumber?, limit: Int
    ) async throws -> ObjectVersions {
        try await queries.run { [store, tables] monitor in
            let head = try store.refresh()
            return try ObjectVersions(
                of: name, property: property, through: min(last ?? head, head), limit: limit, in: store, tables,
                monitor)
        }
    }

    /// The change that gave each property its value in the state after a record, as far as the log goes back. The names
    /// are those of the model that was in force then.
    func setters(
        of name: ObjectName, _ properties: [String], at sequence: SequenceNumber
    ) async throws -> [String: ObjectChanges.Entry] {
        try await queries.run { [store, tables] monitor in
            let numbers = try tables.history(at: sequence) {
                try $0.setters(of: name.entity, name.key, Set(properties), at: sequence)
            }
            let changes = try ObjectChanges(
                of: name, at: Set(numbers.values).sorted(), namedAt: store.log.model(inForceAt: sequence)?.sequence,
                in: store, monitor)
            var setters: [String: ObjectChanges.Entry] = [:]
            for (property, number) in numbers {
                setters[property] = changes.entries.last { $0.record.sequence == number && $0.sets(property) }
            }
            return setters
        }
    }

    private func history(
        _ name: ObjectName, after start: SequenceNumber, limit: Int
    ) async throws -> (ObjectChanges, head: SequenceNumber) {
        try await queries.run { [store, tables] monitor in
            let head = try store.refresh()
            let numbers = try tables.history(at: head) {
                try $0.records(
                    of: name.entity, name.key, after: max(start, store.log.beforeFirst), through: head,
                    limit: limit + 1)
            }
            return (try ObjectChanges(of: name, at: numbers, limit: limit, in: store, monitor), head)
        }
    }
}
#endif
