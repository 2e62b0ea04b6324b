import Foundation
package import Testing

/// The PostgreSQL server that tests use: a primary with a synchronous standby, which `Tools/with-postgres` starts and
/// stops around them.
package enum PostgresServer {
    /// The primary's address; nil where there is no server.
    package static let address = ProcessInfo.processInfo.environment["FIRN_POSTGRES"]

    /// The server's address for another database.
    package static func address(database: String) -> String {
        guard let address, let slash = address.lastIndex(of: "/") else {
            preconditionFailure("there is no server here; the test needs the trait .needsPostgres")
        }
        return address[...slash] + database
    }

    /// The port of the primary.
    package static var port: Int {
        guard let address, let colon = address.lastIndex(of: ":"),
            let port = Int(address[address.index(after: colon)...].prefix { $0.isNumber })
        else { preconditionFailure("there is no server here; the test needs the trait .needsPostgres") }
        return port
    }

    /// Runs statements with psql; returns what they give, a row a line.
    @discardableResult
    package static func run(_ statements: String..., at address: String) throws -> [String] {
        let arguments = [address, "-qAtX", "-v", "ON_ERROR_STOP=1"] + statements.flatMap { ["-c", $0] }
        return try execute("/usr/bin/env", ["psql"] + arguments)
    }

    /// Makes a database of its own; returns its address.
    package static func newDatabase() throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try run("create database \(name)", at: address(database: "postgres"))
        return address(database: name)
    }

    /// Runs a program; returns the lines that it prints. Throws if it fails.
    @discardableResult
    package static func execute(_ program: String, _ arguments: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        // A file, not a pipe: a server that the program starts would hold the pipe open.
        let folder = try TemporaryDirectory("firn-run")
        let file = folder.file("output")
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        defer { try? output.close() }
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        let hasEnded = try process.run(limit: 300)
        let bytes = try Data(contentsOf: file)
        try #require(hasEnded, "\(program) \(arguments) did not end: \(String(decoding: bytes, as: UTF8.self))")
        try #require(process.terminationStatus == 0, "\(program) \(arguments)")
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// A pair of servers that a test may kill: `Tools/postgres-pair`.
package final class PostgresPair: Sendable {
    private let folder: TemporaryDirectory
    /// Ports of the primary and of the standby.
    package let ports: [Int]

    package init() throws {
        folder = try TemporaryDirectory("firn-pair")
        // The server's own user has to get through.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let lines = try Self.run("up", folder)
        ports = lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
        try #require(ports.count == 2)
    }

    deinit { _ = try? Self.run("down", folder) }

    /// Returns what the script prints.
    @discardableResult
    package func perform(_ verb: String) throws -> [String] { try Self.run(verb, folder) }

    @discardableResult
    private static func run(_ verb: String, _ folder: TemporaryDirectory) throws -> [String] {
        let script = PackageFolder.url.appending(path: "Tools/postgres-pair")
        return try PostgresServer.execute(script.path, [verb, folder.path + "pair"])
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test or suite where there is no server, and says so.
    package static var needsPostgres: Self {
        .enabled(
            if: PostgresServer.address != nil,
            "there is no PostgreSQL server: run it within Tools/with-postgres")
    }
}
