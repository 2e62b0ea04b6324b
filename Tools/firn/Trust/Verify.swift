import ArgumentParser
import FirnInspection
import FirnLog
import FirnProjection

/// `firn verify`: is the log what was written, and are the tables what it says?
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the log, and compares the tables with it.",
        discussion: """
            Reads every frame of the log (checksums, chain, numbers, contents), and compares the sum of hashes that \
            its changes make with that of the tables. Where they differ, or a migration lies between, it builds the \
            tables in a temporary file and compares row by row, which takes as much room in the folder for temporary \
            files (SQLITE_TMPDIR, else TMPDIR) as the tables have. Nothing is changed. With --json each damage is an \
            object, and the last object is the sum.

            With --since only the log is checked, from the segment on that holds a record: given by its number, or by \
            the file of a signed checkpoint, which has to fit the log. --public-key says whose signature it must be.

            A server's log has no tables: it is copied into a folder, checked there, and the folder is removed.
            """)

    @OptionGroup var options: StoreOptions
    @Option(
        help: ArgumentHelp("Begin behind this record, or what this file says.", valueName: "checkpoint"),
        completion: .file())
    var since: String?
    @Option(
        help: ArgumentHelp("The key that the checkpoint must be signed with.", valueName: "file"),
        completion: .file())
    var publicKey: String?
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let log = try options.openLog(.accept)
        guard since != nil || publicKey == nil else { throw Failure("--public-key goes with --since") }
        let since = try since.map { try Since($0, publicKey: publicKey, log) }
        let lost = options.lostRecords(of: log)
        let hasTables = options.server == nil && since == nil && lost == nil
        let (report, comparison) = try verify(log, from: since?.sequence ?? .zero, comparing: hasTables)
        var output = Output()
        for problem in report.problems {
            output.line(
                json
                    ? damage(problem).line
                    : Console.styled("damage", .red) + "  " + problem.description)
        }
        if let finding = since?.finding, !json { output.line("\(ok)  \(finding)") }
        if json {
            output.line(object(report, comparison, lost).line)
        } else {
            for line in lines(report, comparison) { output.line(line) }
            if let lost { output.line(Console.styled("damage", .red) + "  log: \(lost)") }
        }
        output.flush()
        if !report.isSound || comparison?.isDifferent == true || lost != nil {
            throw ExitCode(Failure.Status.damage.rawValue)
        }
    }

    private func verify(
        _ log: SegmentLog, from first: SequenceNumber, comparing hasTables: Bool
    ) throws -> (VerificationReport, StoreTables.Comparison?) {
        func report(_ each: @escaping (LogRecord) -> Void = { _ in }) throws -> VerificationReport {
            var progress = Progress("verifying: byte")
            defer { progress.finish() }
            return try withoutActuallyEscaping({ (done: VerificationProgress) in
                progress.update(UInt64(done.bytesDone), of: UInt64(done.bytesTotal))
            }) { try LogMaintenance(log).verify(from: first, progress: $0, each: each) }
        }
        // The model of a damaged log may be what cannot be read.
        guard hasTables, let tables = try? StoreTables(options.path, log) else {
            let report = try report()
            if hasTables, report.isSound { _ = try StoreTables(options.path, log) }
            return (report, nil)
        }
        var found: VerificationReport?
        var progress = Progress("comparing: record")
        defer { progress.finish() }
        do {
            let comparison = try tables.compare({ each in
                let report = try report(each)
                found = report
                return report.isSound
            }) { progress.update($0.rawValue, of: $1.rawValue) }
            return (try found ?? report(), comparison)
        } catch {
            let report = try found ?? report()
            if report.isSound { throw error }
            return (report, nil)
        }
    }

    private func lines(_ report: VerificationReport, _ comparison: StoreTables.Comparison?)
        -> [String]
    {
        var lines: [String] = []
        if report.isSound, report.baseline > .zero {
            lines.append(
                "\(ok)  baseline: the state after record \(report.baseline); the records up to it were trimmed")
        }
        if report.isSound {
            lines.append(
                "\(ok)  log: \(Counted.text(report.recordCount, "record")), \(report.byteCount) bytes, "
                    + "\(Counted.text(report.segmentCount, "segment")); "
                    + "record \(report.head) has the link \(report.link)"
            )
        }
        if report.isSound, report.externalValueCount > 0 {
            lines.append("\(ok)  files: \(Counted.text(report.externalValueCount, "large value"))")
        }
        if let torn = report.tornTail {
            lines.append(
                "note  log: \(torn.size) bytes after the last record are no record: a crash or a save under way; "
                    + "\(torn.path) at byte \(torn.offset)")
        }
        switch comparison {
        case nil: break
        case .absent(let reason): lines.append("note  tables: \(reason); firn rebuild makes them")
        case .damaged(let reason):
            lines.append(
                Console.styled("damage", .red) + "  tables: " + Console.printable(reason)
                    + "; firn rebuild makes them from the log")
        case .equal(let checkpoint):
            lines.append("\(ok)  tables: equal to a rebuild through record \(checkpoint)")
        case .different(let checkpoint, let difference):
            lines.append(
                Console.styled("differs", .red) + "  tables, through record \(checkpoint): "
                    + Console.printable(difference) + "; firn rebuild corrects them")
        }
        return lines
    }

    private var ok: String { Console.styled("ok  ", .green) }

    private func damage(_ problem: LogError) -> JSONObject {
        return [
            "damage": .text(problem.message), "path": problem.path.map(JSON.text),
            "offset": problem.offset.map(JSON.integer), "sequence": problem.sequence.map { .number($0.rawValue) },
            "expected": problem.expected.map(JSON.text), "found": problem.found.map(JSON.text),
        ]
    }

    private func object(
        _ report: VerificationReport, _ comparison: StoreTables.Comparison?, _ lost: LostRecords?
    ) -> JSONObject {
        var object: JSONObject = [
            "store": .text(options.path),
            "sound": .bool(report.isSound && comparison?.isDifferent != true && lost == nil),
            "lost": lost.map { .text($0.description) },
            "first": report.first > 1 ? .number(report.first.rawValue) : nil, "records": .number(report.recordCount),
            "externalValues": .number(report.externalValueCount),
            "baseline": report.baseline > .zero ? .number(report.baseline.rawValue) : nil,
            "head": .number(report.head.rawValue), "link": .text("\(report.link)"),
            "damages": .number(report.problems.count), "tornBytes": report.tornTail.map { .integer($0.size) },
        ]
        switch comparison {
        case nil: object["tables"] = .text("not compared")
        case .absent(let reason): object["tables"] = .text("none: \(reason)")
        case .equal: object["tables"] = .text("equal")
        case .damaged(let reason): object["tables"] = .text("damaged: \(reason)")
        case .different(_, let difference): object["tables"] = .text("different: \(difference)")
        }
        return object
    }
}

extension StoreTables.Comparison {
    /// Whether the tables are not what the log says.
    var isDifferent: Bool {
        switch self {
        case .different, .damaged: true
        case .absent, .equal: false
        }
    }
}
