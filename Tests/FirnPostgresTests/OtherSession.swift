import Foundation

/// A session that stays in a transaction while something else is tried.
final class OtherSession: @unchecked Sendable {
    private let input = Pipe()
    private let output = Pipe()
    private let process = Process()

    /// Returns when the statements were performed.
    init(_ statements: String, at address: String) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["psql", address, "-qAtX"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        perform(statements)
    }

    func perform(_ statements: String) {
        input.fileHandleForWriting.write(Data("\(statements); select 'done';\n".utf8))
        _ = output.fileHandleForReading.availableData
    }

    /// What was not committed is undone.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
