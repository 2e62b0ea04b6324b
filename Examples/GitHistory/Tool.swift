import Foundation

/// The command line tool, run as another process on the store.
struct Tool {
    let program: String
    let store: String

    init(_ program: String?, store: String) throws {
        let neighbour = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "firn")
            .path
        self.program = program ?? neighbour ?? "firn"
        self.store = store
        guard FileManager.default.isExecutableFile(atPath: self.program) else {
            throw DemoError(
                "\(self.program): no program: build it with 'swift build', or name it with --firn")
        }
    }

    func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Calls `body` with each line of JSON that a command writes.
    private func forEachLine<Line: Decodable>(
        _ arguments: [String], as type: Line.Type, _ body: (Line) throws -> Void
    ) throws {
        let process = process(arguments)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var lines = TokenReader(
            pipe.fileHandleForReading.fileDescriptor, separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        while let line = try withExtendedLifetime(pipe, { try lines.next() }) {
            try body(try decoder.decode(type, from: Data(line)))
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw DemoError(
                "firn \(arguments.joined(separator: " ")): status \(process.terminationStatus)")
        }
    }

    /// The last record of the store.
    func head() throws -> UInt64 {
        var head: UInt64 = 0
        try forEachLine(["info", "--json", store], as: Info.self) { head = $0.head }
        return head
    }

    private struct Info: Decodable {
        var head: UInt64
    }

    /// The sequence numbers of all change sets, oldest first: with one save a commit, the nth is that of commit n.
    func changeSets() throws -> [UInt64] {
        var sequences: [UInt64] = []
        try forEachLine(["log", "--json", "--oldest-first", store], as: LogLine.self) { line in
            if line.kind == "changes" { sequences.append(line.sequence) }
        }
        return sequences
    }
}

/// What `firn log --json` and `firn tail --json` say of a record, as far as it is needed here.
struct LogLine: Decodable {
    var sequence: UInt64
    var kind: String
    var author: String?
}
