package import FirnLog
package import FirnProjection
import FirnSQLite

/// A value with the words that were searched for.
package struct FoundText: Sendable {
    /// In the terms of the model of `epoch`.
    package var key: ObjectKey
    package var entity: String
    /// The object in the terms of the present; as then if its entity is gone.
    package var now: (entity: String, key: ObjectKey)
    package var property: String
    package var value: String
    /// The record that set it.
    package var start: SequenceNumber
    /// The record that ended it; nil for a value of the present.
    package var end: SequenceNumber?
    package var author: String?
    /// In microseconds since 1970; nil for a record that is gone.
    package var date: Int64?
    package var epoch: PastStates.Epoch
}

/// The values among which a search looks.
package struct TextScope: Sendable {
    package enum Age: Sendable {
        case any
        /// Values that objects have.
        case present
        /// Values that they had.
        case ended
    }

    /// Entities, with those below them; nil for all.
    package var entity: String?
    package var property: String?
    package var age: Age

    package init(entity: String? = nil, property: String? = nil, age: Age = .any) {
        (self.entity, self.property, self.age) = (entity, property, age)
    }
}

extension PastStates {
    /// The values that fit a query: those of the present first, then of each model from the newest on, the best of each
    /// first. Values that the log has lost are not found. Of more than 20,000 values of one model, the newest are.
    ///
    /// Complexity: O(values with the words), up to the 20,000 of the scope.
    package func texts(
        _ query: TextQuery, in scope: TextScope = TextScope(), limit: Int, _ monitor: FetchMonitor? = nil
    ) throws -> [FoundText] {
        guard let expression = query.expression else { return [] }
        let head = log.head
        let epochs = try epochs(after: log.baseline, through: head)
        let names = try names(of: epochs)
        var (found, following) = ([FoundText](), SequenceNumber?.none)
        for epoch in epochs where found.count < limit {
            try retrying {
                let versions = try versions(epoch, through: epoch.end ?? head, needsWords: true)
                let steps = try following.map { try log.migrations(from: epoch.model, to: $0) }
                let search = TextSearch(expression, scope, versions, epoch, names, goesOn: steps)
                let part = try versions.temporal.reading { connection in
                    try FetchMonitor.watch(monitor, connection) {
                        try search.found(limit - found.count, on: connection)
                    }
                }
                found += try namedNow(part, epoch)
            }
            following = epoch.model
            if scope.age == .present { break }
        }
        return found
    }

    private func names(of epochs: [Epoch]) throws -> PastNames {
        try PastNames(
            Dictionary(uniqueKeysWithValues: epochs.map { ($0.model, try log.model(at: $0.model)) }), in: log)
    }

    /// The values with the names that their objects have now.
    private func namedNow(_ found: [FoundText], _ epoch: Epoch) throws -> [FoundText] {
        let (steps, model) = try (log.migrations(from: epoch.model, to: current), log.model(at: current))
        return steps.isEmpty ? found : found.map { text in
            var text = text
            guard let entity = model.entity(text.key.entity) else { return text }
            text.now.entity = entity.name
            text.now.key.primaryKey += steps.keyOffset(of: entity.number)
            return text
        }
    }

    /// The records after `start` and up to `end` that set or ended a value with the words, or have the text in their
    /// author or metadata; the newest first. With an entity or a property, values alone.
    ///
    /// Complexity: O(values with the words + records).
    package func records(
        having text: String, in scope: TextScope, after start: SequenceNumber, through end: SequenceNumber,
        _ monitor: FetchMonitor? = nil
    ) throws -> [SequenceNumber] {
        let epochs = try epochs(after: start, through: end)
        let names = try names(of: epochs)
        var records: [SequenceNumber] = []
        for epoch in epochs {
            let (first, last) = (max(start, begin(of: epoch)), min(end, epoch.end ?? end))
            records += try retrying {
                let versions = try versions(epoch, through: last, needsWords: true)
                let search = TextSearch(
                    TextQuery(text).expression ?? "", scope, versions, epoch, names, goesOn: nil)
                return try versions.temporal.reading { connection in
                    try FetchMonitor.watch(monitor, connection) {
                        try search.records(text, first, last, on: connection)
                    }
                }
            }
        }
        return records
    }
}

/// A search among the values of one epoch.
private struct TextSearch {
    private let expression: String
    private let epoch: PastStates.Epoch
    private let age: TextScope.Age
    private let hasScope: Bool
    private let places: [EntityPlace]
    /// The epoch's model in the names of now.
    private let model: LogModel
    /// The properties that are wanted, by their names now; nil for all.
    private let properties: Set<String>?
    /// The steps to the model that followed. Values that were valid then are found there, but for those that it has no
    /// place for.
    private let following: MigrationSteps?

    /// - Parameter names: those by which a person may name the scope.
    init(
        _ expression: String, _ scope: TextScope, _ versions: PastStates.Versions, _ epoch: PastStates.Epoch,
        _ names: PastNames, goesOn following: MigrationSteps?
    ) {
        (self.expression, self.epoch, self.following) = (expression, epoch, following)
        age = scope.age
        hasScope = scope.entity != nil || scope.property != nil
        let model = names.models[epoch.model] ?? versions.schema.logModel
        self.model = model
        let entities = scope.entity.map { (try? names.entities(named: $0)) ?? [] }
        let wanted = entities.map { Set($0.flatMap { (try? model.subtree(of: $0)) ?? [] }) }
        places = versions.temporal.layout.places.compactMap(\.self).filter { wanted?.contains($0.number) ?? true }
        let owners = Set(names.models.values.flatMap { model in
            let trees = entities?.flatMap { (try? model.subtree(of: $0)) ?? [] }
            return model.entities.filter { trees?.contains($0.number) ?? true }.map(\.name)
        })
        properties = scope.property.map { (try? names.properties(named: $0, of: owners, "it")) ?? [] }
    }

    private func name(_ slot: Int, of place: EntityPlace) -> String {
        model.entity(place.number)?.properties[slot].name ?? place.slots[slot].name
    }

    /// Each pair of an entity and a property whose values are wanted, as one number.
    private static func number(_ entity: EntityNumber, _ slot: Int) -> Int64 {
        Int64(entity.rawValue) << 16 | Int64(slot)
    }

    func found(_ limit: Int, on connection: Connection) throws -> [FoundText] {
        let (wanted, ending) = pairs
        let isOpen = age == .ended && following == nil
            ? "0" : following == nil ? "1" : "\(Self.pair) IN (SELECT value FROM json_each(?3))"
        let isEnded = age == .present ? "0" : "v.to_record > v.from_record"
        let sql = """
            SELECT v.entity, v.object_key, v.property, v.from_record, v.to_record, v.value,
              coalesce(r.author, r.process), r.unix_time
            FROM (
              SELECT v.*, w.rank AS rank FROM firn_words w JOIN firn_text_values v ON v.id = w.rowid
              WHERE w.firn_words MATCH ?1\(isWanted)
                AND CASE WHEN v.to_record IS NULL THEN \(isOpen) ELSE \(isEnded) END
              ORDER BY w.rowid DESC LIMIT \(Self.rankedMax)
            ) v LEFT JOIN firn_records r ON r.number = v.from_record
            ORDER BY v.to_record IS NOT NULL, v.rank, v.from_record DESC LIMIT ?4
            """
        let names = Dictionary(places.map { ($0.number, $0) }) { first, _ in first }
        return try connection.withStatement(sql) { statement in
            try statement.bind(expression, at: 1)
            if hasScope { try statement.bind("\(wanted)", at: 2) }
            if following != nil { try statement.bind("\(ending)", at: 3) }
            try statement.bind(Int64(clamping: limit), at: 4)
            var found: [FoundText] = []
            while try statement.step() {
                let key = ObjectKey(
                    entity: EntityNumber(stored: statement.integer(0)), primaryKey: statement.integer(1))
                guard let place = names[key.entity] else { continue }
                let end = statement.isNull(4) ? epoch.end?.next : SequenceNumber(stored: statement.integer(4))
                found.append(
                    FoundText(
                        key: key, entity: place.name, now: (place.name, key),
                        property: name(Int(statement.integer(2)), of: place),
                        value: statement.text(5), start: SequenceNumber(stored: statement.integer(3)), end: end,
                        author: statement.isNull(6) ? nil : statement.text(6),
                        date: statement.isNull(7) ? nil : Int64((statement.real(7) * 1e6).rounded()), epoch: epoch))
            }
            return found
        }
    }

    /// The values that are put in order by rank, which reads all words of each. Words that more values have say little.
    private static let rankedMax = 20_000

    private static let pair = "(v.entity << 16 | v.property)"

    /// The condition on entity and property; empty where all are wanted.
    private var isWanted: String { hasScope ? " AND \(Self.pair) IN (SELECT value FROM json_each(?2))" : "" }

    func records(
        _ text: String, _ first: SequenceNumber, _ last: SequenceNumber, on connection: Connection
    ) throws -> [SequenceNumber] {
        let isLike = ["author", "metadata"].map { "\($0) LIKE ?5 ESCAPE '\\'" }
        let values = """
            SELECT v.from_record, v.to_record FROM firn_words w JOIN firn_text_values v ON v.id = w.rowid
            WHERE w.firn_words MATCH ?1\(isWanted)
            """
        let sources = (expression.isEmpty ? [] : [
            "SELECT from_record AS number FROM found", "SELECT to_record FROM found WHERE to_record IS NOT NULL",
        ]) + (hasScope ? [] : ["SELECT number FROM firn_records WHERE \(isLike.joined(separator: " OR "))"])
        if sources.isEmpty { return [] }
        let sql = "WITH found(from_record, to_record) AS (\(expression.isEmpty ? "SELECT 0, 0" : values)) "
            + "SELECT number FROM (\(sources.joined(separator: " UNION "))) WHERE number > ?3 AND number <= ?4 "
            + "ORDER BY number DESC"
        let escaped = text.replacing(#/[\\%_]/#) { "\\" + $0.output }
        return try connection.withStatement(sql) { statement in
            if !expression.isEmpty {
                try statement.bind(expression, at: 1)
                if hasScope { try statement.bind("\(pairs.wanted)", at: 2) }
            }
            try statement.bind(Int64(first.rawValue), at: 3)
            try statement.bind(Int64(clamping: last.rawValue), at: 4)
            if !hasScope { try statement.bind("%\(escaped)%", at: 5) }
            var records: [SequenceNumber] = []
            while try statement.step() { records.append(SequenceNumber(stored: statement.integer(0))) }
            return records
        }
    }

    /// The pairs of an entity and a property whose values are wanted, and those of them that ended with the epoch.
    private var pairs: (wanted: [Int64], ending: [Int64]) {
        var (wanted, ending) = ([Int64](), [Int64]())
        for place in places {
            for slot in place.slots.indices where properties?.contains(name(slot, of: place)) ?? true {
                let number = Self.number(place.number, slot)
                wanted.append(number)
                if let following, following.slot(UInt16(slot), of: place.number) == nil { ending.append(number) }
            }
        }
        return (wanted, ending)
    }
}
