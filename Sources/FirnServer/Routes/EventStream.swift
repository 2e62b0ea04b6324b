#if Server
import FirnLog
import Hummingbird
import NIOCore

/// One follower: events from a position on, until either side ends it. It holds a position and what is being sent.
struct EventStream: Sendable {
    let store: ServedStore
    let head: FeedHead
    let pages: ChangePages
    let metrics: ServerMetrics
    let filter: ChangeFilter
    let commentInterval: Duration

    /// Writes the events after a position, in a task that waits for them.
    func write(after start: SequenceNumber, to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(ChangeEvent.beginning)
        var position = start
        while !Task.isCancelled {
            position = try await catchUp(from: position, &writer)
            switch await head.news(after: position, timeout: commentInterval) {
            case .events(let events):
                try await write(events, &position, &writer)
            case .behind:
                position = try await writePart(after: position, &writer)
            case .idle:
                try await writer.write(ChangeEvent.comment(at: store.log.position(of: position)))
                metrics.countComment()
            case .stopped:
                return try await writer.finish(nil)
            }
        }
    }

    /// Writes what follows a position from the log, until the ring has the rest. Returns the position then.
    func catchUp(from start: SequenceNumber, _ writer: inout any ResponseBodyWriter) async throws -> SequenceNumber {
        var position = start
        while !Task.isCancelled {
            if position < store.log.baseline {
                position = try await skipGap(after: position, &writer)
            } else if case .behind = head.news(after: position) {
                position = try await writePart(after: position, &writer)
            } else {
                break
            }
        }
        return position
    }

    private func write(
        _ events: [ChangeEvent], _ position: inout SequenceNumber, _ writer: inout any ResponseBodyWriter
    ) async throws {
        guard filter.isOpen else { return position = try await writePart(after: position, &writer) }
        // What was in the ring when the follower came may have been sent from the log already.
        let new = events.filter { $0.sequence > position }
        guard let last = new.last else { return }
        let buffers = new.map(\.bytes).filter { $0.readableBytes > 0 }
        if buffers.count == 1 {
            try await writer.write(buffers[0])
        } else if !buffers.isEmpty {
            try await writer.write(contentsOf: buffers)
        }
        metrics.countSent(records: new.count, bytes: buffers.reduce(0) { $0 + $1.readableBytes })
        position = last.sequence
    }

    private func writePart(
        after position: SequenceNumber, _ writer: inout any ResponseBodyWriter
    ) async throws -> SequenceNumber {
        do {
            let part = try await pages.events(after: position, through: head.head, filter)
            if part.bytes.readableBytes > 0 { try await writer.write(part.bytes) }
            metrics.countSent(records: part.recordCount, bytes: part.bytes.readableBytes)
            return part.position
        } catch let error as LogError where error.code == .missing {
            // Trimmed between the look at the baseline and the read.
            guard store.log.baseline > position else { throw error }
            return try await skipGap(after: position, &writer)
        }
    }

    private func skipGap(
        after position: SequenceNumber, _ writer: inout any ResponseBodyWriter
    ) async throws -> SequenceNumber {
        let baseline = store.log.baseline
        try await writer.write(ChangeEvent.gap(after: position, through: store.log.position(of: baseline)))
        return baseline
    }
}
#endif
