import FirnLog
import Foundation

/// What a record says, in a few words.
struct RecordSummary {
    let record: LogRecord
    let kind: String
    /// How many objects of each entity were inserted, updated, deleted and refreshed, by the entity's name.
    private(set) var inserted: [String: Int] = [:]
    private(set) var updated: [String: Int] = [:]
    private(set) var deleted: [String: Int] = [:]
    private(set) var refreshed: [String: Int] = [:]

    init(_ record: LogRecord, _ models: inout ModelLibrary) throws {
        self.record = record
        switch record.body {
        case .model: kind = "model"
        case .reservation: kind = "reservation"
        case .erasure: kind = "erasure"
        case .baseline: kind = "baseline"
        case .changes(let changes):
            kind = "changes"
            let names = try models.names(at: changes.model)
            for group in changes.groups {
                let (name, count) = (names.entity(group.entity), group.primaryKeys.count)
                switch group.operation {
                case .insert: inserted[name, default: 0] += count
                case .update: updated[name, default: 0] += count
                case .delete: deleted[name, default: 0] += count
                case .refresh: refreshed[name, default: 0] += count
                }
            }
        }
    }

    /// `+1 Commit  ~2 File  -1 File`; what else a record carries, in words.
    var text: String {
        switch record.body {
        case .model(let model): return "model of \(model.entities.count) entities"
        case .reservation(let keys): return "keys reserved in \(keys.count) entities"
        case .erasure(let erasure):
            return erasure.replaced.isEmpty
                ? "an erasure is done" : "values are erased from \(erasure.replaced.count) records"
        case .baseline: return "a part of the state after this record"
        case .changes(let changes):
            let parts =
                part("+", inserted, .green) + part("~", updated, .yellow) + part("-", deleted, .red)
                + part("!", refreshed, .dim)
            let links = changes.links.reduce(0) { $0 + $1.added.count + $1.removed.count }
            return (parts + (links > 0 ? ["\(links) links"] : [])).joined(separator: "  ")
        }
    }

    private func part(_ sign: String, _ counts: [String: Int], _ style: Console.Style) -> [String] {
        counts.sorted { $0.key < $1.key }.map {
            Console.styled("\(sign)\($0.value)", style) + " " + $0.key
        }
    }

    /// The record in columns: sequence number, local time, author, what it did.
    var columns: String {
        [
            Console.styled(Console.padded(record.sequence.description, 8, right: true), .bold),
            Console.styled(LogDate(record.header.date).local, .dim),
            Console.styled(
                Console.padded(record.header.author ?? record.header.processName, 24), .cyan),
            text,
        ].joined(separator: "  ")
    }

    static let heading = [
        Console.padded("SEQUENCE", 8, right: true), Console.padded("DATE", 19),
        Console.padded("AUTHOR", 24), "CHANGES",
    ].joined(separator: "  ")

    /// The record as one JSON object.
    var json: JSONObject {
        var object = JSONObject()
        object["sequence"] = .integer(Int64(clamping: record.sequence.rawValue))
        object["kind"] = .text(kind)
        object["date"] = .text(LogDate(record.header.date).iso8601)
        let header = record.header
        if let author = header.author { object["author"] = .text(author) }
        if let context = header.contextName { object["context"] = .text(context) }
        object["process"] = .text(header.processName)
        object["processID"] = .integer(Int64(header.processID))
        if let bundle = header.bundleID { object["bundle"] = .text(bundle) }
        object["transaction"] = .text(hexadecimal(header.id.high) + hexadecimal(header.id.low))
        if !header.metadata.isEmpty {
            object["metadata"] = .object(JSONObject(header.metadata.mapValues(JSON.text)))
        }
        if case .changes(let changes) = record.body {
            object["objects"] = .integer(Int64(changes.objectCount))
            for (key, counts) in [
                ("inserted", inserted), ("updated", updated), ("deleted", deleted),
                ("refreshed", refreshed),
            ] where !counts.isEmpty {
                object[key] = .object(JSONObject(counts.mapValues { .integer(Int64($0)) }))
            }
        }
        return object
    }

    private func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
