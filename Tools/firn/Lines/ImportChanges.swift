import ArgumentParser
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import FirnStore
import Foundation

/// `firn import-changes`: what `firn export` wrote becomes change sets of another store.
struct ImportChanges: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-changes",
        abstract: "Reads the lines of 'firn export' into a store.",
        discussion: """
            Lines with the same sequence become one change set again, with its objects' keys, author, context, \
            metadata and date; what was read from a baseline (r) becomes insertions. A store that does not exist is \
            created with --model. A change that does not fit is refused with its line: an insertion of an object that \
            is there, or whose key the store has used before; an update or deletion of one that is not there or has \
            other values than the line's before. The change sets before it stay. So a copy is kept up to date with:

                firn export --after 120 Library.sqlite | firn import-changes Copy.sqlite
            """)

    @OptionGroup var options: StoreOptions
    @Option(
        help: ArgumentHelp(
            "The model of a store to create: a model's path, or that of another store.", valueName: "path"),
        completion: .file())
    var model: String?
    @Argument(help: ArgumentHelp("A file with the lines; else standard input.", valueName: "file"), completion: .file())
    var file: String?
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        var lines = try LineReader(file)
        guard var next = try lines.next() else { throw Failure("\(file ?? "standard input"): there are no lines") }
        let target = try open(firstDate: next.value.date)
        defer { target.log.close() }
        var counts = (changeSets: 0, lines: 0)
        var isAtEnd = false
        while !isAtEnd {
            let first = next
            var pending = [first]
            while true {
                guard let line = try lines.next() else {
                    isAtEnd = true
                    break
                }
                next = line
                // What a baseline gave is no transaction, and may be larger than memory.
                guard line.value.sequence == first.value.sequence, first.value.sequence != nil,
                    line.value.operation != .read || pending.count < Self.readsMax
                else { break }
                pending.append(line)
            }
            try target.write(pending)
            counts = (counts.changeSets + 1, counts.lines + pending.count)
        }
        try target.finish()
        report(counts.changeSets, counts.lines, target.log.head)
    }

    /// How many lines of a baseline become one change set.
    private static let readsMax = 10_000

    private func report(_ changeSets: Int, _ lines: Int, _ head: SequenceNumber) {
        let object: JSONObject = [
            "store": .text(options.path), "lines": .number(lines), "changeSets": .number(changeSets),
            "head": .number(head.rawValue),
        ]
        let done = "\(Counted.text(changeSets, "change set")) of \(Counted.text(lines, "line"))"
        Output.write(object, asJSON: json, ["\(options.path): \(done); the last record is \(head)"])
    }

    private func open(firstDate: Int64) throws -> ImportTarget {
        let isThere = try SegmentLog.exists(directory: options.logDirectory)
        guard isThere || model == nil else { return try make(firstDate) }
        try options.checkThere()
        guard model == nil else {
            throw Failure("\(options.path): the store is there, with a model of its own; leave --model out")
        }
        return try ImportTarget(options.path, options.openLogForWriting(LogOptions(durability: .system)))
    }

    /// A store begins no later than what is read into it, as the dates of a log never go back.
    private func make(_ date: Int64) throws -> ImportTarget {
        guard !FileManager.default.fileExists(atPath: options.path) || StoreFiles.isEmptyFile(options.path) else {
            throw Failure("\(options.path): a file without a log is there; name another store")
        }
        let schema = StoreSchema(model: try loadModel())
        try StoreFiles(URL(fileURLWithPath: options.path)).reserve()
        let log = try SegmentLog.create(
            directory: options.logDirectory, storeID: .random(), options: LogOptions(durability: .system), date: date)
        try log.exclusively {
            _ = try log.append(
                .model(schema.logModel), header: TransactionHeader(date: date, id: .random(), processName: "firn"))
        }
        return try ImportTarget(options.path, log)
    }

    private func loadModel() throws -> NSManagedObjectModel {
        try Model.load(model ?? "").model
    }
}

/// Lines of a file or of standard input, each with its number.
private struct LineReader {
    let name: String
    private let file: UnsafeMutablePointer<FILE>
    private var number = 0

    init(_ path: String?) throws {
        name = path ?? "standard input"
        guard let file = path == nil ? fdopen(STDIN_FILENO, "r") : fopen(path ?? "", "r") else {
            throw Failure("\(name): \(String(cString: strerror(errno)))")
        }
        self.file = file
    }

    mutating func next() throws -> NumberedLine? {
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        while true {
            let count = getline(&buffer, &capacity, file)
            guard count >= 0, let buffer else {
                if ferror(file) == 0 { return nil }
                throw Failure("\(name): it cannot be read after line \(number): \(String(cString: strerror(errno)))")
            }
            number += 1
            let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
            let place = "\(name), line \(number)"
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Failure("\(place): it is no UTF-8; what stands before was imported")
            }
            if text.allSatisfy(\.isWhitespace) { continue }
            do throws(ChangeLine.Failure) {
                return NumberedLine(place: place, value: try ChangeLine(text))
            } catch {
                throw Failure("\(place): \(error.reason)")
            }
        }
    }
}

/// A line and where it stands, for a person.
struct NumberedLine {
    let place: String
    let value: ChangeLine
}
