import ArgumentParser
import FirnInspection
import FirnLog

/// `firn replicate`: one log follows another.
struct Replicate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a log to another one, and follows it as records are added.",
        discussion: """
            FROM and TO are stores or addresses: postgresql://user@host/database#name. Nothing else may write to TO. \
            When a server is away, this waits for it. It runs until it is interrupted, or has copied the record of \
            --until: records after it are not copied, and one that is not there yet is waited for. \(Point.help)
            """)

    @Argument(help: "The log that is followed.") var from: String
    @Argument(help: "The log that follows.") var to: String
    @Option(help: ArgumentHelp("End when this record was copied.", valueName: "point"), transform: Point.parse)
    var until: Point?
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        guard !LogLocation(from).isSame(as: LogLocation(to)) else {
            throw Failure("\(LogLocation(to).name): a log cannot follow itself; name another store or address as TO")
        }
        let source = try LogLocation(from).open()
        let last = try until?.sequence(inLog: source)
        let target = try LogLocation(to).openOrCreate(continuing: source)
        let watch = try source.watch()
        var output = Output()
        while true {
            do {
                let (count, end) = try LogTransfer(source: source, target: target, last: last).run()
                if count > 0 {
                    output.line(line(end.sequence))
                    output.flush()
                }
                if let last, end.sequence >= last { return }
                guard try watch.wait(after: end.sequence) else { return }
            } catch let error as LogError where error.code == .unreachable || error.code == .outcomeUnknown {
                // Both ends can be asked again; what was copied is not copied twice.
                Console.complain(error.description)
            }
        }
    }
    private func line(_ head: SequenceNumber) -> String {
        let name = LogLocation(to).name
        guard json else { return "\(name): record \(head)" }
        let object: JSONObject = ["log": .text(name), "head": .number(head.rawValue)]
        return object.line
    }
}

extension Point {
    /// The record at the point of a log that may be on a server. A number may be one that is still to come.
    ///
    /// Complexity: of a date on a server, reads the whole log.
    fileprivate func sequence(inLog log: any ChangeLog) throws -> SequenceNumber {
        switch self {
        case .sequence(let number): return SequenceNumber(number)
        case .head: return try log.end().sequence
        case .moment(let moment):
            let date = moment.date.microseconds
            if let log = log as? SegmentLog { return try explained(in: log).sequence(in: log, of: log.directory) }
            Console.complain("note: " + moment.reading)
            var here = try log.beginning()
            while true {
                let run = try log.frames(after: here, sizeMax: 4 << 20)
                if let later = run.frames.first(where: { $0.date > date }) {
                    return SequenceNumber(later.sequence.rawValue - 1)
                }
                if run.isEmpty { return here.sequence }
                here = run.end
            }
        }
    }
}
