import ArgumentParser
import FirnLog
import Foundation

/// `firn info`: what a store is, in a few lines.
struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what a store is: records, model, sizes.")

    @OptionGroup var options: StoreOptions
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        let log = try options.openLog()
        let head = try log.refresh()
        let summary = try LogSizes(log, through: head)
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
        _ log: SegmentLog, _ head: SequenceNumber, _ sizes: LogSizes,
        _ model: (sequence: SequenceNumber, model: LogModel)?
    ) -> JSONObject {
        var object = JSONObject()
        object["store"] = .text(options.path)
        object["id"] = .text(log.storeID.uuidString)
        object["first"] = .integer(Int64(log.first.rawValue))
        object["head"] = .integer(Int64(head.rawValue))
        object["changeSets"] = .integer(Int64(sizes.changeSetCount))
        object["segments"] = .integer(Int64(sizes.segments.count))
        object["logBytes"] = .integer(Int64(sizes.frameBytes))
        object["changeSetBytes"] = .integer(Int64(sizes.changeSetBytes))
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
        _ log: SegmentLog, _ head: SequenceNumber, _ sizes: LogSizes,
        _ model: (sequence: SequenceNumber, model: LogModel)?
    ) -> [(String, String)] {
        var lines = [
            ("store", options.path), ("id", log.storeID.uuidString),
            ("records", head < log.first ? "none" : "\(log.first) to \(head)"),
            (
                "change sets",
                "\(sizes.changeSetCount)" + (sizes.average.map { ", \($0) bytes on average" } ?? "")
            ),
            ("log", "\(sizes.frameBytes) bytes in \(sizes.segments.count) segments"),
            ("tables", tableSize.map { "\($0) bytes" } ?? "none: firn rebuild makes them"),
        ]
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

/// What the records of a log take, from a walk over their headers.
struct LogSizes {
    private(set) var segments: Set<String> = []
    private(set) var frameBytes = 0
    private(set) var changeSetCount = 0
    private(set) var changeSetBytes = 0
    private(set) var firstDate: Int64?
    private(set) var lastDate: Int64?

    /// Complexity: O(bytes of the log): each frame is checked on the way.
    init(_ log: SegmentLog, through head: SequenceNumber) throws {
        guard log.first <= head else { return }
        let reader = try log.records(after: SequenceNumber(log.first.rawValue - 1))
        while reader.position < head, let frame = try reader.nextFrameInfo() {
            segments.insert(frame.path)
            frameBytes += frame.frameSize
            if frame.kind == .changes {
                changeSetCount += 1
                changeSetBytes += frame.frameSize
            }
            if firstDate == nil { firstDate = frame.date }
            lastDate = frame.date
        }
    }

    /// Bytes of a change set's frame, all in, on average.
    var average: Int? { changeSetCount > 0 ? changeSetBytes / changeSetCount : nil }
}
