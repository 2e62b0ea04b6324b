import Foundation
import Synchronization

/// A process that is killed and started again. What it wrote to its standard output is kept, in whole lines.
final class Child: @unchecked Sendable {
    private let program: URL
    /// The arguments of a start, made from the lines so far.
    private let arguments: ([String]) -> [String]
    private let all = Mutex<[String]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// Of the driver's thread.
    private var process = Process()
    private var isRead = DispatchSemaphore(value: 0)

    init(_ program: URL, arguments: @escaping ([String]) -> [String]) {
        self.program = program
        self.arguments = arguments
    }

    var lines: [String] { all.withLock { $0 } }

    func start() throws {
        let output = Pipe()
        process = Process()
        process.executableURL = program
        process.arguments = arguments(lines)
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let isRead = DispatchSemaphore(value: 0)
        self.isRead = isRead
        let handle = output.fileHandleForReading
        Thread.detachNewThread { [self] in
            read(handle)
            isRead.signal()
        }
    }

    /// Kills the process, and returns when all that it wrote was read.
    ///
    /// With its group, which it leads: if it has just crashed, another process prints where, which has its files open
    /// and would wait for it for ever.
    func kill() {
        Foundation.kill(-process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        isRead.wait()
    }

    /// The status with which it ended by itself; nil while it runs.
    var ownStatus: Int32? { process.isRunning ? nil : process.terminationStatus }

    /// Waits until a line for which `isLast` holds was written; false after this number of seconds without any line.
    func wait(timeout: Double, until isLast: (String) -> Bool) -> Bool {
        while !(lines.last.map(isLast) ?? false) {
            if arrived.wait(timeout: .now() + timeout) == .timedOut { return false }
        }
        return true
    }

    private func read(_ handle: FileHandle) {
        var rest: [UInt8] = []
        while true {
            let data = handle.availableData
            if data.isEmpty { return }
            rest += data
            let pieces = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // What has no line feed yet may have been cut off.
            rest = Array(pieces.last ?? [])
            let whole = pieces.dropLast().map { String(decoding: $0, as: UTF8.self) }
            all.withLock { $0 += whole }
            arrived.signal()
        }
    }
}
