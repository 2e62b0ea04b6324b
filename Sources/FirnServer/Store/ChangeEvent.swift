#if Server
import FirnLog
import NIOCore

/// Records as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): one event a record,
/// whose `id` is the position and whose data has one line for each change.
struct ChangeEvent: Sendable {
    let sequence: SequenceNumber
    /// Empty for a record that the follower does not want.
    let bytes: ByteBuffer

    init(_ record: LogRecord, _ filter: ChangeFilter, _ store: ServedStore) throws {
        sequence = record.sequence
        let lines = try filter.lines(of: record, store)
        guard !lines.isEmpty else {
            bytes = ByteBuffer()
            return
        }
        var buffer = ByteBufferAllocator().buffer(capacity: lines.utf8.count + 64)
        buffer.writeString("id: \(record.position)\n")
        for line in lines.utf8.split(separator: UInt8(ascii: "\n")) {
            buffer.writeString("data: ")
            buffer.writeBytes(line)
            buffer.writeInteger(UInt8(ascii: "\n"))
        }
        buffer.writeInteger(UInt8(ascii: "\n"))
        bytes = buffer
    }

    /// Says that the records after `position` up to `baseline` were trimmed.
    static func gap(after position: SequenceNumber, through baseline: LogPosition) -> ByteBuffer {
        ByteBuffer(
            string: "event: gap\nid: \(baseline)\n"
                + #"data: {"after":\#(position),"through":\#(baseline.sequence)}"# + "\n\n")
    }

    /// Keeps the connection alive, and says how far the follower is: an event without data sets the ID alone.
    static func comment(at position: LogPosition) -> ByteBuffer {
        ByteBuffer(string: ": nothing new\nid: \(position)\n\n")
    }

    /// The first bytes of every stream: how long a browser waits before it connects again, in milliseconds.
    static let beginning = ByteBuffer(string: "retry: 1000\n\n")
}
#endif
