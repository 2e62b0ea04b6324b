import FirnLog
import Synchronization
import TestSupport

/// One machine's copy of a shared log, in memory.
final class SharingMachine: Sendable {
    let files: MemoryFileSystem
    let log: SegmentLog
    /// What was told of queued records, in order.
    let landed = Mutex<[String]>([])

    init(_ upstream: Upstream, files: MemoryFileSystem = MemoryFileSystem()) throws {
        self.files = files
        log = try SegmentLog.openCopy(of: upstream, directory: "/copy", fileSystem: files, date: LogSamples.date)
    }

    /// - Parameter files: of another process on the same machine.
    convenience init(_ address: String, files: MemoryFileSystem = MemoryFileSystem()) throws {
        try self.init(Upstream(address), files: files)
    }

    /// Appends a record that goes alone.
    func save(_ text: String) throws {
        let record = LogSamples.record(text)
        try log.withWriterLock { _ = try $0.append(record.body, header: record.header) }
    }

    /// Queues records, one after the other; nobody sends them before somebody waits.
    func queue(_ texts: String...) throws -> [QueuedAppend] { try queue(texts) }

    func queue(_ texts: [String]) throws -> [QueuedAppend] {
        try texts.map { text in
            let record = LogSamples.record(text)
            return try log.withWriterLock(isQueueing: true) { writer in
                try writer.enqueue(record.body, header: record.header) { [self] mark in
                    landed.withLock { $0.append("\(text) " + (mark.map { "at \($0.head)" } ?? "nowhere")) }
                }
            }
        }
    }

    /// What waiting for a record throws; nil if it was appended.
    func error(_ append: QueuedAppend) -> LogError? {
        do {
            try log.wait(for: append)
            return nil
        } catch {
            return error as? LogError
        }
    }

    func outcome(_ append: QueuedAppend) -> LogError.Code? { error(append)?.code }
}
