import ArgumentParser
import FirnInspection
import FirnLog

/// `firn pack`: the history in fewer bytes.
struct Pack: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compresses the log's sealed segments.",
        discussion: """
            Records, links and signatures stay what they are, and every record can be read as before. A program that \
            saves does this by itself, in the background, when it has filled a segment. This is for logs of earlier \
            versions, and with --all for a store that nobody writes to any more. Programs may use the store meanwhile. \
            Earlier versions cannot open it any more.
            """)

    @OptionGroup var options: StoreOptions
    @Flag(help: "Also the last segment; the next save begins another one.") var all = false
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        let log = try options.openLogForWriting()
        defer { log.close() }
        var progress = Progress("compressing: segment")
        let report = try withoutActuallyEscaping({ (done: PackingReport) in
            progress.update(UInt64(done.segmentCount), of: UInt64(done.segmentCount + done.remainingCount))
        }) { try LogMaintenance(log).pack(sealingLast: all, waiting: true, progress: $0) }
        progress.finish()
        let size = try log.extent().usedSize
        let object: JSONObject = [
            "store": .text(options.path), "segments": .number(report.segmentCount),
            "bytesBefore": .integer(report.plainSize), "bytesAfter": .integer(report.packedSize),
            "logBytes": .integer(size),
        ]
        let done =
            report.segmentCount == 0
            ? "every sealed segment is packed"
            : "\(Counted.text(report.segmentCount, "segment")) of \(report.plainSize) bytes now "
                + "\(report.segmentCount == 1 ? "takes" : "take") \(report.packedSize)"
        Output.write(object, asJSON: json, ["\(options.path): \(done); the log has \(size) bytes"])
    }
}
