import ArgumentParser
import FirnInspection
import FirnLog
import Foundation

/// `firn tail`: the last records, and those to come.
struct Tail: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the last records, and waits for more if asked to.",
        discussion: """
            With --follow it ends when it is interrupted, or when its output is closed. \(Point.help)
            """)

    @OptionGroup var options: StoreOptions
    @Option(
        help: ArgumentHelp("Begin after this record; else with the last ten.", valueName: "point"),
        transform: Point.parse)
    var after: Point?
    @Flag(name: .shortAndLong, help: "Wait for records that are saved from now on.") var follow =
        false
    @Flag(help: "Write one JSON object a line.") var json = false

    private static let lastCount: UInt64 = 10

    func run() throws {
        let copy = try options.server.map { try ServerCopy($0) }
        let log = try copy?.log ?? options.openLog()
        let head = try log.refresh()
        let last = SequenceNumber(head.rawValue - min(head.rawValue, Self.lastCount))
        let start = try after?.explained(in: log).position(in: log, of: options.path) ?? max(last, log.beforeFirst)
        // Watched before it is read, so that nothing is saved unseen in between.
        let watcher: (any LogWatch)? = follow ? try copy?.watch() ?? LogWatcher(log) : nil
        if let watcher { Self.cancelWhenUnread(watcher) }
        var printer = RecordPrinter(log, options.path, json: json)
        let reader = try log.records(after: start)
        repeat {
            while let record = try reader.next() { try printer.print(record) }
            printer.flush()
            if watcher == nil {
                printer.finish(orSay: "\(options.path): no record after \(start), of \(log.recordRange)")
            }
            guard try watcher?.wait(after: reader.position) == true else { return }
            try copy?.bring()
        } while true
    }

    /// Ends the wait when the reader of a pipe has gone: without a save nothing would be written, and nothing noticed.
    private static func cancelWhenUnread(_ watcher: any LogWatch) {
        Thread.detachNewThread {
            var polled = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&polled, 1, -1) < 0, errno == EINTR {}
            watcher.cancel()
        }
    }
}
