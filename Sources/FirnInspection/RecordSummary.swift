package import FirnLog
import Foundation

/// A record in a few words.
package struct RecordSummary {
    package let record: LogRecord
    package let kind: String
    /// The names that hold for a record of changes; nil for others.
    package private(set) var names: ModelNames?
    /// How many objects of each entity were inserted, updated, deleted and refreshed, by the entity's name.
    package private(set) var inserted: [String: Int] = [:]
    package private(set) var updated: [String: Int] = [:]
    package private(set) var deleted: [String: Int] = [:]
    package private(set) var refreshed: [String: Int] = [:]

    package init(_ record: LogRecord, _ models: inout ModelLibrary) throws {
        self.record = record
        switch record.body {
        case .model: kind = "model"
        case .reservation: kind = "reservation"
        case .erasure: kind = "erasure"
        case .baseline: kind = "baseline"
        case .changes(let changes):
            kind = "changes"
            let names = try models.names(at: changes.model)
            self.names = names
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

    /// The record as one JSON object.
    package var json: JSONObject {
        let header = record.header
        var object: JSONObject = [
            "sequence": .number(record.sequence.rawValue), "kind": .text(kind),
            "date": .text(LogDate(header.date).iso8601), "author": header.author.map(JSON.text),
            "context": header.contextName.map(JSON.text), "process": .text(header.processName),
            "processID": .number(header.processID), "bundle": header.bundleID.map(JSON.text),
            "transaction": .text(hexadecimal(header.id.high) + hexadecimal(header.id.low)),
            "metadata": header.metadata.isEmpty ? nil : .object(JSONObject(header.metadata.mapValues(JSON.text))),
        ]
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
