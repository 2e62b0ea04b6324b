import Foundation

/// A table without any of what a log needs, written to with PostgreSQL's own `pgbench`: one row a transaction.
struct PlainTable {
    private let server: String
    private let folder: Folder
    private let pgbench: String

    init(_ server: String) throws {
        self.server = server
        folder = try Folder()
        guard let program = ProcessInfo.processInfo.environment["FIRN_PGBENCH"] else {
            throw Failure(description: "FIRN_PGBENCH names no program: start this with Tools/measure")
        }
        pgbench = program
        let statements =
            "drop table if exists plain; create table plain (id bigserial primary key, bytes bytea not null);"
            + "alter table plain alter bytes set storage external;"
        _ = try run("/usr/bin/env", ["psql", server, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", statements])
    }

    func remove() {
        _ = try? run("/usr/bin/env", ["psql", server, "-qAtX", "-c", "drop table plain"])
        folder.remove()
    }

    func rate(_ writers: Int, size: Int) throws -> Double {
        let script = folder.path("insert.sql")
        try "insert into plain (bytes) values (decode(repeat('ab', \(size)), 'hex'));\n"
            .write(toFile: script, atomically: true, encoding: .utf8)
        let text = try run(
            pgbench,
            ["-n", "-M", "extended", "-f", script, "-c", "\(writers)", "-j", "1", "-T", "1", server])
        let line = text.split(separator: "\n").first { $0.hasPrefix("tps") } ?? ""
        return Double(line.split(separator: " ").dropFirst(2).first ?? "") ?? 0
    }

    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(program) failed: \(arguments)") }
        return text
    }
}
