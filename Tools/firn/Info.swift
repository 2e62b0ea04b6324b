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
            for (name, value) in lines(log, head, summary, model) {
                output.line(
                    Console.styled(Console.padded(name, 12), .dim) + "  " + Console.printable(value)
                )
            }
        }
        output.flush()
    }

    private func object(
        _ log: SegmentLog, _ head: SequenceNumber, _ sizes: LogExtent,
        _ model: (sequence: SequenceNumber, model: LogModel)?
    ) -> JSONObject {
        var object = JSONObject()
        object["store"] = .text(options.path)
        object["id"] = .text(log.storeID.uuidString)
        if let place = log.sharedPlace { object["copyOf"] = .text(place) }
        object["first"] = .integer(Int64(log.first.rawValue))
        object["head"] = .integer(Int64(head.rawValue))
        object["segments"] = .integer(Int64(sizes.segmentCount))
        object["logBytes"] = .integer(sizes.usedSize)
        if let date = sizes.firstDate { object["firstDate"] = .text(LogDate(date).iso8601) }
        if let date = sizes.lastDate { object["lastDate"] = .text(LogDate(date).iso8601) }
        if let model {
            object["model"] = .integer(Int64(model.sequence.rawValue))
            object["entities"] = .array(model.model.entities.map { .text($0.name) })
        }
        if let size = tableSize { object["tableBytes"] = .integer(Int64(size)) }
        return object
    }

    private func lines(
        _ log: SegmentLog, _ head: SequenceNumber, _ sizes: LogExtent,
        _ model: (sequence: SequenceNumber, model: LogModel)?
    ) -> [(String, String)] {
        var lines = [
            ("store", options.path), ("id", log.storeID.uuidString),
            ("records", head < log.first ? "none" : "\(log.first) to \(head)"),
            ("log", "\(sizes.usedSize) bytes in \(Console.count(sizes.segmentCount, "segment"))"),
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
