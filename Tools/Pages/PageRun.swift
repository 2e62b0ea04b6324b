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
        var files = PageFiles()
        for element in page.elements {
            switch element {
            case .heading(_, let level) where level <= 2:
                findings += try waiting.flatMap(end)
                waiting = []
            case .code(let block):
                if let (file, text) = files.apply(block) {
                    try write(text, to: file)
                } else if block.language == "console", block.directive != "not run" {
                    for step in Transcript(block).steps {
                        if block.directive == "another terminal" {
                            let running = try start(step)
                            waitForOutput(running)
                            waiting.append(running)
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

    private func write(_ text: String, to file: String) throws {
        let url = folder.appending(path: file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func start(_ step: Transcript.Step) throws -> Background {
        let process = Process()
        // Line by line, as on a terminal.
        process.executableURL = URL(filePath: "/usr/bin/stdbuf")
        process.arguments = ["-oL", "bash", "-c", prelude + "\n" + step.command]
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

    /// Seconds that a command may take: a first build takes minutes.
    private static let timeout = 1_200.0

    /// Waits until a program in the background has begun to print, or ended.
    private func waitForOutput(_ running: Background) {
        let limit = Date(timeIntervalSinceNow: 20)
        while running.process.isRunning, limit.timeIntervalSinceNow > 0 {
            let size = try? FileManager.default.attributesOfItem(atPath: running.file.path)[.size] as? Int
            if let size, size > 0 { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    private func end(_ running: Background) throws -> [String] {
        let limit = Date(timeIntervalSinceNow: Self.timeout)
        while running.process.isRunning, limit.timeIntervalSinceNow > 0 { Thread.sleep(forTimeInterval: 0.02) }
        if running.process.isRunning { running.process.terminate() }
        defer { try? FileManager.default.removeItem(at: running.file) }
        let text = String(decoding: try Data(contentsOf: running.file), as: UTF8.self)
        // Lines of a page do not end with blanks, as those of a table may.
        var output = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.prefix(upTo: line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex))
        }
        if output.last == "" { output.removeLast() }
        if running.step.matches(output) { return [] }
        return [
            "\(page.path):\(running.step.line): $ \(running.step.command)\n  the page:\n"
                + running.step.output.map { "    \($0)\n" }.joined() + "  this run:\n"
                + output.map { "    \($0)\n" }.joined()
        ]
    }
}
