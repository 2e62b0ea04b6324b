package import Foundation

/// A program of this package, run as a user runs it: as a process.
///
/// The test's target must depend on the program's, so that it is built before.
package struct BuiltProgram: Sendable {
    package let url: URL

    package init(_ name: String) {
        // The tests are one program, which stands beside the others.
        url = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: name)
    }

    /// A program that is not of this package.
    package init(url: URL) { self.url = url }

    /// What a run gave.
    package struct Result: Sendable {
        package var status: Int32
        package var output: String
        package var complaints: String

        package var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// A process that is not started yet, for tests that do more with it than wait.
    package func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        var inherited = ProcessInfo.processInfo.environment
        // What is for the tests' own threads is not for a program, which keeps to its queues.
        if inherited["FIRN_CONCURRENCY_DEBUG"] == "0" { inherited["FIRN_CONCURRENCY_DEBUG"] = "1" }
        process.environment = inherited.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// A run that did not end, with what it wrote.
    package struct Endless: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs the program and waits for its end.
    ///
    /// - Parameter limit: after so many seconds it is killed, and `Endless` thrown with what it wrote.
    package func run(
        _ arguments: String..., environment: [String: String] = [:], limit: TimeInterval = 300
    ) throws -> Result {
        try run(arguments, environment: environment, limit: limit)
    }

    package func run(
        _ arguments: [String], environment: [String: String] = [:], limit: TimeInterval = 300
    ) throws -> Result {
        let process = process(arguments, environment: environment)
        // Files, not pipes: a program that writes much to both would wait for a reader of one.
        let folder = try TemporaryDirectory("firn-run")
        let output = try Self.create(folder.file("output"))
        let complaints = try Self.create(folder.file("complaints"))
        process.standardOutput = output
        process.standardError = complaints
        // Foundation keeps processes, and so what they write to.
        defer { for file in [output, complaints] { try? file.close() } }
        let hasEnded = try process.run(limit: limit)
        let written = try ["output", "complaints"].map { try String(contentsOf: folder.file($0), encoding: .utf8) }
        guard hasEnded else {
            throw Endless(
                description: "\(url.lastPathComponent) \(arguments) did not end within \(limit) seconds; it wrote:\n"
                    + written.joined())
        }
        return Result(status: process.terminationStatus, output: written[0], complaints: written[1])
    }

    private static func create(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }
}
