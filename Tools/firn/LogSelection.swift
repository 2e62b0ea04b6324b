import ArgumentParser
import FirnLog

/// Which records of a log a person wants to see.
struct LogSelection: ParsableArguments {
    @Option(help: ArgumentHelp("List this record and later ones.", valueName: "point"), transform: Point.parse)
    var from: Point?
    @Option(help: ArgumentHelp("List records after this one.", valueName: "point"), transform: Point.parse)
    var after: Point?
    @Option(help: ArgumentHelp("List this record and earlier ones.", valueName: "point"), transform: Point.parse)
    var until: Point?
    @Option(help: ArgumentHelp("Only records of this author.", valueName: "name")) var author: String?
    @Option(help: ArgumentHelp("Only records that changed objects of this entity.", valueName: "name"))
    var entity: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("List so many records at most.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit cannot be less than 0.") }
        guard from == nil || after == nil else { throw ValidationError("Give --from or --after, not both.") }
    }

    /// Calls `body` with each record. Throws, before the first one, for a point or an entity that does not exist.
    func forEachRecord(
        of log: SegmentLog, _ path: String, oldestFirst: Bool, _ body: (LogRecord) throws -> Void
    ) throws {
        try log.refresh()
        let before = try after?.position(in: log, of: path)
        let first = try before?.next ?? from?.first(in: log, of: path) ?? log.first
        let last = try until?.sequence(in: log, of: path) ?? log.head
        var matching = try Matching(self, log)
        var left = limit ?? .max
        if oldestFirst {
            let reader = try log.records(after: SequenceNumber(first.rawValue - 1))
            while left > 0, reader.position < last, let record = try reader.next() {
                guard try matching.includes(record) else { continue }
                try body(record)
                left -= 1
            }
        } else {
            var next = last
            while left > 0, next >= first {
                let record = try log.record(at: next)
                next = SequenceNumber(next.rawValue - 1)
                guard try matching.includes(record) else { continue }
                try body(record)
                left -= 1
            }
        }
        if until == nil { try log.checkEnd() }
    }

    /// The question to each record.
    private struct Matching {
        private let author: String?
        private let entity: String?
        /// By the record that carries a model, the entities in it that are wanted.
        private var entities: [SequenceNumber: Set<EntityNumber>] = [:]

        init(_ selection: LogSelection, _ log: SegmentLog) throws {
            author = selection.author?.lowercased()
            entity = selection.entity
            guard let entity else { return }
            let everyModel = try log.everyModel()
            for (sequence, model) in everyModel { entities[sequence] = try? model.subtree(of: entity) }
            if entities.isEmpty {
                let names = everyModel.values.flatMap(\.entities).map(\.name)
                throw Failure(
                    "there is no entity “\(entity)” in the store's model" + Suggestion.text(for: entity, among: names))
            }
        }

        mutating func includes(_ record: LogRecord) throws -> Bool {
            if let author {
                let name = record.header.author ?? record.header.processName
                guard name.lowercased().contains(author) else { return false }
            }
            guard entity != nil else { return true }
            guard case .changes(let changes) = record.body, let wanted = entities[changes.model] else { return false }
            return changes.groups.contains { wanted.contains($0.entity) }
                || changes.links.contains { wanted.contains($0.entity) }
        }
    }
}

extension SegmentLog {
    /// Throws the damage after the last record that can be read, if there is any: to a reader the log ends before it.
    func checkEnd() throws { _ = try records(after: max(head, beforeFirst)).next() }

    /// Every model that a record was written with, by the record that carries it.
    ///
    /// Complexity: walks over the headers of all records.
    func everyModel() throws -> [SequenceNumber: LogModel] {
        var models: [SequenceNumber: LogModel] = [:]
        if let (sequence, model) = try model(inForceAt: beforeFirst) { models[sequence] = model }
        let reader = try records(after: beforeFirst)
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .model { models[frame.sequence] = try model(at: frame.sequence) }
        }
        return models
    }
}
