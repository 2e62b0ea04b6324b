#if Server
import FirnLog
import NIOCore
import NIOPosix
import Synchronization

/// Reads what follows a position from the log, in parts, off the event loops.
final class ChangePages: Sendable {
    /// A part of the log, as lines or as events.
    struct Part: Sendable {
        var bytes: ByteBuffer
        var position: SequenceNumber
        var recordCount: Int
    }

    /// One part of a response is about this long.
    static let partSize = 256 << 10
    /// A follower that does not read holds one part of this length.
    private static let streamPartSize = 64 << 10
    private static let recordCountMax = 2000

    private let store: ServedStore

    init(_ store: ServedStore) { self.store = store }

    /// Lines of the records after `position`, up to `end`.
    func lines(
        after position: SequenceNumber, through end: SequenceNumber, _ filter: ChangeFilter
    ) async throws -> Part {
        try await read(after: position, through: end, Self.partSize) { record, buffer, store in
            buffer.writeString(try filter.lines(of: record, store))
        }
    }

    /// Events of the records after `position`, up to `end`.
    func events(
        after position: SequenceNumber, through end: SequenceNumber, _ filter: ChangeFilter
    ) async throws -> Part {
        try await read(after: position, through: end, Self.streamPartSize) { record, buffer, store in
            buffer.writeImmutableBuffer(try ChangeEvent(record, filter, store).bytes)
        }
    }

    private func read(
        after position: SequenceNumber, through end: SequenceNumber, _ size: Int,
        _ encode: @escaping @Sendable (LogRecord, inout ByteBuffer, ServedStore) throws -> Void
    ) async throws -> Part {
        try await NIOThreadPool.singleton.runIfActive { [store] in
            try store.refresh()
            let reader = try store.log.records(after: position)
            var part = Part(bytes: ByteBuffer(), position: position, recordCount: 0)
            while part.bytes.readableBytes < size, part.recordCount < Self.recordCountMax,
                reader.position < end, let record = try reader.next()
            {
                try encode(record, &part.bytes, store)
                part.recordCount += 1
            }
            part.position = reader.position
            return part
        }
    }
}

/// The baseline of a trimmed log, as lines, part by part. It stays readable if the log is trimmed again meanwhile.
final class BaselineReading: Sendable {
    /// The record whose state it is; zero for a log that was not trimmed.
    let sequence: SequenceNumber
    private let store: ServedStore
    private let filter: ChangeFilter
    private let replay: Mutex<LogReplay?>

    init(_ store: ServedStore, _ filter: ChangeFilter) throws {
        self.store = store
        self.filter = filter
        let replay = try store.log.replay()
        // The replay begins with the baseline that was the last one when it was made.
        let first = try replay.next()
        if case .baseline? = first?.body { sequence = first?.sequence ?? .zero } else { sequence = .zero }
        self.replay = Mutex(sequence == .zero ? nil : replay)
    }

    /// The next lines; nil at the end.
    func next() async throws -> ByteBuffer? {
        try await NIOThreadPool.singleton.runIfActive { [self] in
            try replay.withLock { replay in
                guard let open = replay else { return nil }
                var bytes = ByteBuffer()
                while bytes.readableBytes < ChangePages.partSize {
                    guard let record = try open.next(), case .baseline = record.body else {
                        replay = nil
                        break
                    }
                    bytes.writeString(try filter.lines(of: record, store))
                }
                return bytes
            }
        }
    }
}
#endif
