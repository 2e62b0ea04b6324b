import ArgumentParser
import FirnInspection
import FirnLog
import FirnProjection
import Foundation

/// `firn info`: what a store is, in a few lines.
struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a store's records, model and sizes.",
        discussion: "Reads little of the log, however long it is. firn stats reads all of it and shows more.")

    @OptionGroup var options: StoreOptions
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        if let server = options.server { return try ServerInfo(server).print(json: json) }
        // The tables remember what was durable: as far as that, the last segment need not be read.
        let log = try options.openLog(checksDurable: false)
        let head = try log.refresh()
        let summary = try log.extent()
        let model = try log.currentModel
        var output = Output()
        if json {
            output.line(object(log, head, summary, model).line)
        } else {
            output.pairs(lines(log, head, summary, model))
        }
        output.flush()
    }

    private func object(
        _ log: SegmentLog, _ head: SequenceNumber, _ sizes: LogExtent,
        _ model: (sequence: SequenceNumber, model: LogModel)?
    ) -> JSONObject {
        return [
            "store": .text(options.path), "id": .text(log.storeID.uuidString),
            "copyOf": log.sharedPlace.map(JSON.text), "first": .number(log.first.rawValue),
            "head": .number(head.rawValue), "segments": .number(sizes.segmentCount),
            "logBytes": .integer(sizes.usedSize), "firstDate": sizes.firstDate.map { .text(LogDate($0).iso8601) },
            "lastDate": sizes.lastDate.map { .text(LogDate($0).iso8601) },
            "model": model.map { .number($0.sequence.rawValue) },
            "entities": model.map { .array($0.model.entities.map { .text($0.name) }) },
            "tableBytes": tableSize.map { .number($0) },
        ]
    }

    private func lines(
        _ log: SegmentLog, _ head: SequenceNumber, _ sizes: LogExtent,
        _ model: (sequence: SequenceNumber, model: LogModel)?
    ) -> [(String, String)] {
        var lines = [
            ("store", options.path), ("id", log.storeID.uuidString),
            ("records", head < log.first ? "none" : "\(log.first) to \(head)"),
            ("log", "\(sizes.usedSize) bytes in \(Counted.text(sizes.segmentCount, "segment"))"),
            ("tables", tableSize.map { "\($0) bytes" } ?? "none: firn rebuild makes them; a program makes a new store"),
        ]
        if let place = log.sharedPlace { lines.insert(("copy of", place), at: 1) }
        if let first = sizes.firstDate, let last = sizes.lastDate {
            lines.append(("dates", "\(LogDate(first).local) to \(LogDate(last).local)"))
        }
        if let model {
            let names = model.model.entities.map(\.name).sorted().joined(separator: ", ")
            lines.append(("model", "record \(model.sequence): \(names)"))
        }
        return lines
    }

    private var tableSize: Int? {
        (try? FileManager.default.attributesOfItem(atPath: options.path))?[.size] as? Int
    }
}
