#if Server
import FirnLog
import Hummingbird

/// One follower: events from a position on, until either side ends it. It holds a position and what is being sent.
struct EventStream: Sendable {
    let store: ServedStore
    let head: FeedHead
    let pages: ChangePages
    let metrics: ServerMetrics
    let commentInterval: Duration

    func write(
        after start: SequenceNumber, _ filter: ChangeFilter, to writer: inout any ResponseBodyWriter
    ) async throws {
        var position = start
        try await writer.write(ChangeEvent.beginning)
        while !Task.isCancelled {
            if position < store.log.baseline {
                try await skipGap(&position, &writer)
                continue
            }
            switch await head.news(after: position, timeout: commentInterval) {
            case .events(let events):
                try await write(events, filter, &position, &writer)
            case .behind:
                try await catchUp(filter, &position, &writer)
            case .idle:
                try await writer.write(ChangeEvent.comment(at: position))
                metrics.countComment()
            case .stopped:
                return try await writer.finish(nil)
            }
        }
    }

    private func write(
        _ events: [ChangeEvent], _ filter: ChangeFilter, _ position: inout SequenceNumber,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        guard filter.isOpen else { return try await catchUp(filter, &position, &writer) }
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

    private func catchUp(
        _ filter: ChangeFilter, _ position: inout SequenceNumber, _ writer: inout any ResponseBodyWriter
    ) async throws {
        do {
            let part = try await pages.events(after: position, through: head.head, filter)
            if part.bytes.readableBytes > 0 { try await writer.write(part.bytes) }
            metrics.countSent(records: part.recordCount, bytes: part.bytes.readableBytes)
            position = part.position
        } catch let error as LogError where error.code == .missing {
            // Trimmed between the look at the baseline and the read.
            guard store.log.baseline > position else { throw error }
            try await skipGap(&position, &writer)
        }
    }

    private func skipGap(
        _ position: inout SequenceNumber, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let baseline = store.log.baseline
        try await writer.write(ChangeEvent.gap(after: position, through: baseline))
        position = baseline
    }
}
#endif
