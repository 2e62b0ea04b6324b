import Foundation
import Synchronization

/// A second process, `firn tail --follow`, that follows the store while the import runs.
final class Tail: Sendable {
    private struct State {
        var lines: [LogLine] = []
        var failure: String?
        var isFinished = false
    }

    /// Guarded by itself; the reading thread writes, the importer reads at the end.
    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let process: Process
    private let output = Pipe()
    /// The last record before those that are followed.
    let start: UInt64

    init(_ tool: Tool, after start: UInt64) throws {
        self.start = start
        process = tool.process(["tail", "--follow", "--json", "--after", "\(start)", tool.store])
        process.standardOutput = output
        try process.run()
        Thread.detachNewThread { [self] in read() }
    }

    private func read() {
        var reader = TokenReader(
            output.fileHandleForReading.fileDescriptor, separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        do {
            while let token = try reader.next() {
                let line = try decoder.decode(LogLine.self, from: Data(token))
                state.withLock { $0.lines.append(line) }
                arrived.signal()
            }
        } catch {
            state.withLock { $0.failure = "\(error)" }
        }
        state.withLock { $0.isFinished = true }
        arrived.signal()
    }

    /// Waits until the record `end` was seen, or the process ended, or nothing came for `timeout` seconds; then ends
    /// the process.
    func stop(atEnd end: UInt64, timeout: Double = 30) {
        while !state.withLock({
            $0.isFinished || $0.lines.last.map { $0.sequence >= end } ?? (end <= start)
        }) {
            if arrived.wait(timeout: .now() + timeout) == .timedOut { break }
        }
        process.terminate()
        process.waitUntilExit()
    }

    /// What is wrong with what was seen, if anything: it should be each record after `start`, once and in order, and
    /// one change set for each of `saves`, in their order, by its author.
    func difference(atEnd end: UInt64, saves: [String]) -> String? {
        let (lines, failure) = state.withLock { ($0.lines, $0.failure) }
        if let failure { return failure }
        for (index, line) in lines.enumerated() where line.sequence != start + UInt64(index) + 1 {
            return "record \(line.sequence) came where \(start + UInt64(index) + 1) was due"
        }
        if start + UInt64(lines.count) != end {
            return "the last record seen is \(lines.last?.sequence ?? start), not \(end)"
        }
        let seen = lines.filter { $0.kind == "changes" }.map { $0.author ?? "" }
        if seen.count != saves.count {
            return "\(seen.count) change sets seen of \(saves.count) saves"
        }
        for (index, pair) in zip(seen, saves).enumerated() where pair.0 != pair.1 {
            return "change set \(index + 1) is by \(pair.0), the save was by \(pair.1)"
        }
        return nil
    }
}
