#if Server
import FirnLog
import HummingbirdCore
import NIOCore
import NIOHTTP1
import Synchronization

/// The followers at the head whose connections are on one event loop.
///
///     a save ──► each loop: one pass over its followers ──► the same bytes to each socket
///
/// A follower here is a position and a connection: no task has to wake for it. Saves that come during a pass are sent
/// together by the next one. To be used on the loop, but for what `FeedListener` asks for.
final class LoopFollowers: FeedListener {
    private final class Follower {
        let stream: EventStream
        let context: ChannelHandlerContext
        let lease: FollowerLease
        var position: SequenceNumber
        /// Whether bytes are on their way to the socket.
        var isBusy = false
        var lastWrite = NIODeadline.now()

        init(_ stream: EventStream, _ context: ChannelHandlerContext, _ lease: FollowerLease, _ start: SequenceNumber) {
            (self.stream, self.context, self.lease, position) = (stream, context, lease, start)
        }
    }

    /// The bytes for all followers at one position.
    private enum Delivery {
        case nothing, behind, stopped
        case bytes(ByteBuffer, through: SequenceNumber, recordCount: Int)
    }

    /// The bytes that one pass has sent so far.
    private struct Sending {
        var parts: [SequenceNumber: Delivery] = [:]
        /// The part that was used last, as most followers are at one position.
        var position: SequenceNumber?
        var part = Delivery.nothing
        var recordCount = 0
        var byteCount = 0
    }

    /// A slow follower has this much at most on its way, or one record.
    private static let partSizeMax = 64 << 10

    private let loop: any EventLoop
    private let head: FeedHead
    private let metrics: ServerMetrics
    private let commentInterval: TimeAmount
    private let followers: NIOLoopBoundBox<[ObjectIdentifier: Follower]?>
    private let isScheduled = Atomic(false)

    init(on loop: any EventLoop, _ head: FeedHead, _ metrics: ServerMetrics, commentInterval: Duration) {
        self.loop = loop
        self.head = head
        self.metrics = metrics
        self.commentInterval = TimeAmount(commentInterval)
        followers = .makeEmptyBox(eventLoop: loop)
    }

    /// Sends to a connection what follows a position, until it ends.
    func add(
        _ channel: any Channel, _ stream: EventStream, _ lease: FollowerLease, after position: SequenceNumber
    ) throws {
        let context = try ChunkWriter.context(of: channel)
        let follower = Follower(stream, context, lease, position)
        followers.value = followers.value ?? [:]
        followers.value?[ObjectIdentifier(follower)] = follower
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            self.followers.value?[ObjectIdentifier(follower)] = nil
        }
        var sending = Sending()
        advance(follower, &sending)
    }

    func newsArrived() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { self.pass() }
    }

    func secondPassed() {
        loop.execute {
            let last = NIODeadline.now() - self.commentInterval
            for follower in self.all where !follower.isBusy && follower.lastWrite <= last {
                let position = follower.stream.store.log.position(of: follower.position)
                self.write(ChunkWriter.chunk([ChangeEvent.comment(at: position)]), to: follower)
                self.metrics.countComment()
            }
        }
    }

    private var all: [Follower] { followers.value.map { Array($0.values) } ?? [] }

    /// Sends to each follower what it does not have yet. Those at one position share the bytes.
    private func pass() {
        isScheduled.store(false, ordering: .releasing)
        var sending = Sending()
        for follower in all where !follower.isBusy { advance(follower, &sending) }
        metrics.countSent(records: sending.recordCount, bytes: sending.byteCount)
    }

    private func advance(_ follower: Follower, _ sending: inout Sending) {
        if sending.position != follower.position {
            sending.position = follower.position
            sending.part = sending.parts[follower.position] ?? part(after: follower.position)
            sending.parts[follower.position] = sending.part
        }
        switch sending.part {
        case .nothing: return
        case .behind: readLog(for: follower)
        case .stopped: end(follower)
        case .bytes(let bytes, let position, let count):
            follower.position = position
            guard bytes.readableBytes > 0 else { return }
            sending.recordCount += count
            sending.byteCount += bytes.readableBytes
            write(bytes, to: follower)
        }
    }

    private func part(after position: SequenceNumber) -> Delivery {
        switch head.news(after: position) {
        case nil, .idle: return .nothing
        case .behind: return .behind
        case .stopped: return .stopped
        case .events(let events):
            var size = 0
            let first = events.prefix { event in
                defer { size += event.bytes.readableBytes }
                return size == 0 || size + event.bytes.readableBytes <= Self.partSizeMax
            }
            guard let last = first.last else { return .nothing }
            return .bytes(ChunkWriter.chunk(first.map(\.bytes)), through: last.sequence, recordCount: first.count)
        }
    }

    private func write(_ bytes: ByteBuffer, to follower: Follower) {
        follower.isBusy = true
        follower.lastWrite = .now()
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            follower.isBusy = false
            if follower.position < self.head.head { self.newsArrived() }
        }
        follower.context.writeAndFlush(NIOAny(bytes), promise: promise)
    }

    /// The ring does not have the next records any more.
    private func readLog(for follower: Follower) {
        follower.isBusy = true
        let (stream, channel, start) = (follower.stream, follower.context.channel, follower.position)
        let bound = NIOLoopBound(follower, eventLoop: loop)
        Task {
            do {
                var writer: any ResponseBodyWriter = ChunkWriter(channel)
                let position = try await stream.catchUp(from: start, &writer)
                self.loop.execute {
                    bound.value.isBusy = false
                    bound.value.position = position
                    bound.value.lastWrite = .now()
                    self.newsArrived()
                }
            } catch {
                channel.close(promise: nil)
            }
        }
    }

    private func end(_ follower: Follower) {
        follower.isBusy = true
        follower.context.writeAndFlush(NIOAny(ChunkWriter.end), promise: nil)
        follower.context.channel.close(promise: nil)
    }
}

/// The followers of every event loop.
final class LiveFollowers: Sendable {
    private let head: FeedHead
    private let metrics: ServerMetrics
    private let commentInterval: Duration
    private let loops = Mutex<[ObjectIdentifier: LoopFollowers]>([:])

    init(_ head: FeedHead, _ metrics: ServerMetrics, commentInterval: Duration) {
        (self.head, self.metrics, self.commentInterval) = (head, metrics, commentInterval)
    }

    /// Follows for a connection. Returns when that is closed; at once if the connection's task waits for that itself.
    func follow(
        _ channel: any Channel, _ stream: EventStream, _ lease: FollowerLease, after position: SequenceNumber
    ) async throws {
        let loop = channel.eventLoop
        let followers = loops.withLock { loops in
            if let followers = loops[ObjectIdentifier(loop)] { return followers }
            let followers = LoopFollowers(on: loop, head, metrics, commentInterval: commentInterval)
            loops[ObjectIdentifier(loop)] = followers
            head.add(followers)
            return followers
        }
        try await loop.submit { try followers.add(channel, stream, lease, after: position) }.get()
        if let handoff = ConnectionChannel.Handoff.current { return handoff.confirm() }
        try await channel.closeFuture.get()
    }
}

/// Counts a follower until nobody holds the lease.
final class FollowerLease: Sendable {
    private let metrics: ServerMetrics

    init(_ metrics: ServerMetrics) { self.metrics = metrics }

    deinit { metrics.removeFollower() }
}
#endif
