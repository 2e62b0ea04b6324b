import ArgumentParser
import FirnInspection
import FirnLog

/// Which records of a log a person wants to see.
struct LogSelection: ParsableArguments {
    @Option(
        name: [.customLong("from"), .customLong("since")],
        help: ArgumentHelp("List this record and later ones.", valueName: "point"), transform: Point.parse)
    var from: Point?
    @Option(help: ArgumentHelp("List records after this one.", valueName: "point"), transform: Point.parse)
    var after: Point?
    @Option(help: ArgumentHelp("List this record and earlier ones.", valueName: "point"), transform: Point.parse)
    var until: Point?
    @Option(help: ArgumentHelp("Only records of this author.", valueName: "name")) var author: String?
    @Option(help: ArgumentHelp("Only records that changed objects of this entity.", valueName: "name"))
    var entity: String?
    @Option(
        help: ArgumentHelp("Only records that changed this object, for example Author/7.", valueName: "object"),
        transform: ObjectName.init)
    var object: ObjectName?
    @Option(help: ArgumentHelp("Only records that saved this property.", valueName: "name")) var property: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("List at most this number of records.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit cannot be less than 0.") }
        // Every name has nothing as a part.
        guard author != "" else { throw ValidationError("--author is empty: name a part of an author's name.") }
        guard from == nil || after == nil else { throw ValidationError("Give --from or --after, not both.") }
    }

    /// Calls `body` with each record. Throws, before the first one, for a point or an entity that does not exist.
    func forEachRecord(
        of log: SegmentLog, _ path: String, oldestFirst: Bool, _ body: (LogRecord) throws -> Void
    ) throws {
        try log.refresh()
        let before = try after?.explained(in: log).position(in: log, of: path)
        let first = try before?.next ?? from?.explained(in: log).first(in: log, of: path) ?? log.first
        let last = try until?.explained(in: log).sequence(in: log, of: path) ?? log.head
        let matching = try RecordFilter(
            author: author, entity: entity, object: object, property: property, in: log)
        var left = limit ?? .max
        if oldestFirst {
            let reader = try log.records(after: SequenceNumber(first.rawValue - 1))
            while left > 0, reader.position < last, let record = try reader.next() {
                guard matching.includes(record) else { continue }
                try body(record)
                left -= 1
            }
        } else {
            var next = last
            while left > 0, next >= first {
                let record = try log.record(at: next)
                next = SequenceNumber(next.rawValue - 1)
                guard matching.includes(record) else { continue }
                try body(record)
                left -= 1
            }
        }
        if until == nil { try log.checkEnd() }
    }
}
