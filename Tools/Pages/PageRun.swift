import Foundation

/// Does what a page says, as a reader would: writes its files into an empty folder, and types its commands.
struct PageRun {
    let page: Page
    let folder: URL
    /// Runs before each command, in the same shell.
    let prelude: String

    private struct Background {
        let process: Process
        let file: URL
        let step: Transcript.Step
    }

    /// What is not as the page says, a line each.
    func findings() throws -> [String] {
        var findings: [String] = []
        var waiting: [Background] = []
        for element in page.elements {
            switch element {
            case .heading(_, let level) where level <= 2:
                findings += try waiting.flatMap(end)
                waiting = []
            case .code(let block):
                if let file = block.argument(of: "file") {
                    try write(block, to: file)
                } else if block.language == "console", block.directive != "not run" {
                    for step in Transcript(block).steps {
                        if block.directive == "another terminal" {
                            waiting.append(try start(step))
                        } else {
                            findings += try end(start(step))
                        }
                    }
                }
            default: continue
            }
        }
        return try findings + waiting.flatMap(end)
    }

    private func write(_ block: Page.Block, to file: String) throws {
        let url = folder.appending(path: file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(block.text.utf8).write(to: url)
    }

    private func start(_ step: Transcript.Step) throws -> Background {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", prelude + "\n" + step.command]
        process.currentDirectoryURL = folder
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let output = try FileHandle(forWritingTo: file)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return Background(process: process, file: file, step: step)
    }

    private func end(_ running: Background) throws -> [String] {
        running.process.waitUntilExit()
        defer { try? FileManager.default.removeItem(at: running.file) }
        let text = String(decoding: try Data(contentsOf: running.file), as: UTF8.self)
        var output = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if output.last == "" { output.removeLast() }
        if Transcript.matches(output, running.step.output) { return [] }
        return [
            "\(page.path):\(running.step.line): $ \(running.step.command)\n  the page:\n"
                + running.step.output.map { "    \($0)\n" }.joined() + "  this run:\n"
                + output.map { "    \($0)\n" }.joined()
        ]
    }
}
