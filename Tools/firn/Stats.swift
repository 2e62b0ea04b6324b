import ArgumentParser
import FirnInspection
import FirnLog
import Foundation

/// `firn stats`: what a store takes, and for what.
struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what uses space: segments, compression, bytes an object, entities.",
        discussion: """
            Reads the whole log. With --json the first object is the sum, then one \
            follows for each segment and each entity.
            """)

    @OptionGroup var options: StoreOptions
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let log = try options.openLog()
        try log.refresh()
        let usage = try LogUsage(log)
        var output = Output()
        if json {
            output.line(summary(usage).line)
            for segment in usage.segments { output.line(object(segment).line) }
            for entity in usage.entities { output.line(object(entity).line) }
        } else {
            output.pairs(lines(usage), width: 14)
            table(usage, &output)
        }
        output.flush()
    }

    private var tableSize: Int64? {
        let size = (try? FileManager.default.attributesOfItem(atPath: options.path))?[.size] as? Int
        return size.map(Int64.init)
    }

    private func lines(_ usage: LogUsage) -> [(String, String)] {
        let total = usage.statistics
        var lines = [
            (
                "records",
                "\(total.recordCount), of which \(Counted.text(total.recordCounts[.changes] ?? 0, "change set"))"
            ),
            (
                "log",
                "\(usage.diskSize) bytes in \(Counted.text(total.segmentCount, "segment")), of \(total.frameSize) "
                    + "bytes of records; with room for more \(total.fileSize)"
            ),
            (
                "compression",
                "\(total.rawSize) bytes of payload stored as \(total.storedSize): "
                    + Self.ratio(total.rawSize, total.storedSize)
            ),
        ]
        if let size = usage.baselineSize { lines.append(("baseline", "\(size) bytes")) }
        if let bytes = usage.bytesPerChange {
            lines.append(("object change", "\(Self.rounded(bytes)) bytes, all in, of \(usage.changeCount)"))
        }
        if usage.objectCount > 0 {
            let log = Double(usage.diskSize + (usage.baselineSize ?? 0)) / Double(usage.objectCount)
            let tables = tableSize.map { Double($0) / Double(usage.objectCount) }
            lines.append(
                (
                    "object",
                    "\(Self.rounded(log)) bytes of log"
                        + (tables.map { ", \(Self.rounded($0)) of tables" } ?? "")
                        + "; \(Counted.text(usage.objectCount, "object"))"
                ))
        }
        return lines
    }

    private func table(_ usage: LogUsage, _ output: inout Output) {
        let heading = ["ENTITY", "OBJECTS", "INSERTED", "UPDATED", "DELETED"]
        let rows = usage.entities.map { entity in
            [entity.name]
                + [entity.objects, entity.inserted, entity.updated, entity.deleted].map(String.init)
        }
        for (index, row) in ([heading] + rows).enumerated() {
            let line = row.enumerated().map { Console.padded($1, $0 == 0 ? 24 : 10, right: $0 > 0) }
                .joined(separator: "  ")
            output.line(index == 0 ? Console.styled(line, .dim) : line)
        }
    }

    private func summary(_ usage: LogUsage) -> JSONObject {
        let total = usage.statistics
        return [
            "store": .text(options.path), "records": .number(total.recordCount),
            "changeSets": .number(total.recordCounts[.changes] ?? 0), "segments": .number(total.segmentCount),
            "fileBytes": .integer(total.fileSize), "frameBytes": .integer(total.frameSize),
            "storedBytes": .integer(total.storedSize), "rawBytes": .integer(total.rawSize),
            "baselineBytes": usage.baselineSize.map(JSON.integer), "tableBytes": tableSize.map(JSON.integer),
            "objects": .number(usage.objectCount), "objectChanges": .number(usage.changeCount),
            "bytesPerObjectChange": usage.bytesPerChange.map(JSON.real),
        ]
    }

    private func object(_ segment: LogUsage.Segment) -> JSONObject {
        return [
            "segment": .text(segment.name), "records": .number(segment.recordCount),
            "frameBytes": .integer(segment.frameSize), "storedBytes": .integer(segment.storedSize),
            "rawBytes": .integer(segment.rawSize),
        ]
    }

    private func object(_ entity: LogUsage.Entity) -> JSONObject {
        return [
            "entity": .text(entity.name), "objects": .number(entity.objects), "inserted": .number(entity.inserted),
            "updated": .number(entity.updated), "deleted": .number(entity.deleted),
        ]
    }

    private static func ratio(_ raw: Int64, _ stored: Int64) -> String {
        stored > 0 ? "\(rounded(Double(raw) / Double(stored))) to 1" : "nothing"
    }

    private static func rounded(_ value: Double) -> String { String(format: "%.1f", value) }
}
