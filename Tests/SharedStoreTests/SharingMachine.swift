import FirnLog
import TestSupport

/// One machine's copy of a shared log, in memory.
final class SharingMachine: Sendable {
    let files: MemoryFileSystem
    let log: SegmentLog

    init(_ upstream: Upstream, files: MemoryFileSystem = MemoryFileSystem()) throws {
        self.files = files
        log = try SharedCopy.open(of: upstream, directory: "/copy", fileSystem: files, date: LogSamples.date)
    }

    /// - Parameter files: of another process on the same machine.
    convenience init(_ address: String, files: MemoryFileSystem = MemoryFileSystem()) throws {
        try self.init(Upstream(address), files: files)
    }

    func save(_ text: String) throws {
        let record = LogSamples.record(text)
        try log.exclusively { _ = try log.append(record.body, header: record.header) }
    }

    /// Appends records together. Gives what became of each: nil if it was appended.
    func append(_ texts: String...) throws -> [LogError?] {
        let records = texts.map { LogSamples.record($0) }
        let outcomes = try log.exclusively {
            try log.append(records.map { PreparedRecord($0.body, $0.header) })
        }
        return outcomes.map { if case .failure(let error) = $0 { error } else { nil } }
    }
}
