#if Server
import FirnLog
import NIOCore
import NIOPosix

/// Reads what follows a position from the log, in parts, off the event loops.
final class ChangePages: Sendable {
    /// A part of the log, as lines or as events.
    struct Part: Sendable {
        var bytes: ByteBuffer
        var position: SequenceNumber
        var recordCount: Int
    }

    /// One part of a response is about this long.
    private static let partSize = 256 << 10
    private static let recordCountMax = 2000

    private let store: ServedStore

    init(_ store: ServedStore) { self.store = store }

    /// Lines of the records after `position`, up to `end`.
    func lines(
        after position: SequenceNumber, through end: SequenceNumber, _ filter: ChangeFilter
    ) async throws -> Part {
        try await read(after: position, through: end) { record, buffer, store in
            buffer.writeString(try filter.lines(of: record, store))
        }
    }

    /// Events of the records after `position`, up to `end`.
    func events(
        after position: SequenceNumber, through end: SequenceNumber, _ filter: ChangeFilter
    ) async throws -> Part {
        try await read(after: position, through: end) { record, buffer, store in
            buffer.writeImmutableBuffer(try ChangeEvent(record, filter, store).bytes)
        }
    }

    private func read(
        after position: SequenceNumber, through end: SequenceNumber,
        _ encode: @escaping @Sendable (LogRecord, inout ByteBuffer, ServedStore) throws -> Void
    ) async throws -> Part {
        try await NIOThreadPool.singleton.runIfActive { [store] in
            try store.refresh()
            let reader = try store.log.records(after: position)
            var part = Part(bytes: ByteBuffer(), position: position, recordCount: 0)
            while part.bytes.readableBytes < Self.partSize, part.recordCount < Self.recordCountMax,
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
#endif
