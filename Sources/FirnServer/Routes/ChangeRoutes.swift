#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// `/v1/changes`: the change feed, as lines, as a stream of events, or by long poll.
struct ChangeRoutes: Sendable {
    private static let limitDefault = 1000
    private static let limitMax = 100_000
    private static let waitDefault = 25
    private static let waitMax = 60

    let store: ServedStore
    let head: FeedHead
    let pages: ChangePages
    let caching: PastCaching
    let metrics: ServerMetrics
    let options: ChangeFeedOptions
    let live: LiveFollowers

    /// The contents of a request.
    private struct Question {
        var start: SequenceNumber
        /// Records that are looked at, at most.
        var limit: Int
        /// The last record that is wanted; nil for no end.
        var end: SequenceNumber?
        var filter: ChangeFilter
        var wait: Duration?
    }

    /// - Parameter channel: the connection, if it is known: then a follower without a filter needs no task that waits.
    func changes(_ request: Request, over channel: (any Channel)?) async throws -> Response {
        let parameters = try QueryParameters(
            request, single: ["after", "limit", "entity", "object", "author", "from", "to", "live", "wait"])
        var question = try question(parameters)
        let lastEvent = try request.headers[.lastEventID].flatMap { $0.isEmpty ? nil : try number(of: $0) }
        if request.headers[.accept]?.contains("text/event-stream") == true {
            question.start = lastEvent ?? question.start
            return try stream(question, over: channel)
        }
        return try await page(question, parameters, request)
    }

    private func question(_ parameters: QueryParameters) throws -> Question {
        let log = store.log
        try store.refresh()
        var start = log.beforeFirst
        if let after = parameters["after"] {
            start = try LogPosition(after).map(number) ?? store.sequence(at: parameters.point("after"))
        }
        if let from = try moment("from", parameters)?.date.microseconds {
            start = max(start, try log.sequence(atOrBefore: from - 1))
        }
        let end = try moment("to", parameters).map { try log.sequence(atOrBefore: $0.end.microseconds) }
        let object = try parameters["object"].map { name in try store.described { try ObjectName(name) } }
        let filter = try ChangeFilter(
            store, entity: parameters["entity"], object: object, author: parameters["author"])
        let isLive = try parameters.flag("live")
        let wait = try parameters.integer("wait", in: 0...Self.waitMax, or: Self.waitDefault)
        return Question(
            start: start, limit: try parameters.integer("limit", in: 1...Self.limitMax, or: Self.limitDefault),
            end: end, filter: filter, wait: isLive ? .seconds(wait) : nil)
    }

    private func number(of text: String) throws -> SequenceNumber {
        guard let position = LogPosition(text) else {
            throw RequestFailure.badRequest(
                "the position is “\(text.prefix(40))”", remedy: "give the ID of an event, a record's number, or 0")
        }
        return try number(of: position)
    }

    /// The record of a position that a client names. Throws for one that the log does not have.
    private func number(of position: LogPosition) throws -> SequenceNumber {
        let head = try store.refresh()
        guard position.link == nil || store.log.agrees(with: position) else {
            throw RequestFailure(
                .gone,
                "the position \(position) is of another history of this store, as before a backup was put back: the "
                    + "log, which ends with record \(head), does not have it",
                remedy: "discard what you have, read \(options.prefix)/v1/baseline, and then the changes after its "
                    + "Firn-Position")
        }
        guard position.sequence <= head else {
            throw RequestFailure.notFound(
                "there is no record \(position): the log ends with record \(head)",
                remedy: "begin after a record that is there; was the store replaced?")
        }
        return position.sequence
    }

    private func moment(_ name: String, _ parameters: QueryParameters) throws -> Moment? {
        try parameters[name].map { text in
            guard let moment = Moment(text) else {
                throw RequestFailure.badRequest(
                    "\(name) is “\(text.prefix(40))”", remedy: "give a time: \(Moment.examples)")
            }
            return moment
        }
    }

    private func stream(_ question: Question, over channel: (any Channel)?) throws -> Response {
        guard question.end == nil else {
            throw RequestFailure.badRequest("a stream has no end", remedy: "leave “to” out")
        }
        let metrics = metrics
        guard metrics.addFollower(max: options.followerCountMax) else {
            throw RequestFailure(
                .serviceUnavailable, "there are \(options.followerCountMax) followers already",
                remedy: "try again later", headers: [.retryAfter: "10"])
        }
        let stream = EventStream(
            store: store, head: head, pages: pages, metrics: metrics, filter: question.filter,
            commentInterval: options.commentInterval)
        let (lease, live, start) = (FollowerLease(metrics), live, question.start)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .xAccelBuffering: "no"],
            body: ResponseBody { writer in
                // The lease ends with this closure, whether it was ever run or not.
                defer { withExtendedLifetime(lease) {} }
                // A stream has no end of its own, and the application waits for all that is being sent.
                try await withGracefulShutdownHandler {
                    guard let channel, stream.filter.isOpen else {
                        return try await stream.write(after: start, to: &writer)
                    }
                    try await writer.write(ChangeEvent.beginning)
                    let position = try await stream.catchUp(from: start, &writer)
                    try await live.follow(channel, stream, lease, after: position)
                } onGracefulShutdown: {
                    stream.head.stop()
                }
            })
    }

    private func page(
        _ question: Question, _ parameters: QueryParameters, _ request: Request
    ) async throws -> Response {
        let log = store.log
        guard question.start >= log.baseline else { throw trimmed(question.start) }
        if let wait = question.wait, question.start >= log.head {
            guard metrics.addFollower(max: options.followerCountMax) else {
                throw RequestFailure(
                    .serviceUnavailable, "there are too many followers", remedy: "try again later",
                    headers: [.retryAfter: "10"])
            }
            defer { metrics.removeFollower() }
            _ = await withGracefulShutdownHandler {
                await head.news(after: question.start, timeout: wait)
            } onGracefulShutdown: { [head] in
                head.stop()
            }
        }
        let newest = try store.refresh()
        let full = SequenceNumber(question.start.rawValue + UInt64(question.limit))
        let end = max(question.start, min(newest, full, question.end ?? newest))
        var headers = HTTPFields()
        headers[.contentType] = "application/x-ndjson"
        let position = log.position(of: end)
        headers[.firnPosition] = "\(position)"
        headers[.firnHead] = "\(newest)"
        headers[.firnTimes] = try parameters.timesField(in: log)
        if question.end.map({ end < $0 }) ?? true {
            let query = parameters.query(replacing: "after", with: "\(position)")
            headers[.link] = "<\(options.prefix)/v1/changes?\(query)>; rel=\"next\""
        }
        let (pages, metrics) = (pages, metrics)
        let body = ResponseBody { writer in
            var position = question.start
            while position < end {
                let part = try await pages.lines(after: position, through: end, question.filter)
                guard part.position > position else { break }
                if part.bytes.readableBytes > 0 { try await writer.write(part.bytes) }
                metrics.countSent(records: part.recordCount, bytes: part.bytes.readableBytes)
                position = part.position
            }
            try await writer.finish(nil)
        }
        let response = Response(status: .ok, headers: headers, body: body)
        guard question.wait == nil, question.start < end else { return response }
        return try caching.applied(to: response, request, parameters, through: end)
    }

    /// `/v1/baseline`: every object of the state that the records before the first one left. Nothing of a log that was
    /// not trimmed.
    func baseline(_ request: Request) throws -> Response {
        let parameters = try QueryParameters(request, single: ["entity", "object"])
        let object = try parameters["object"].map { name in try store.described { try ObjectName(name) } }
        let filter = try ChangeFilter(store, entity: parameters["entity"], object: object)
        let head = try store.refresh()
        let baseline = try BaselineReading(store, filter)
        var headers = HTTPFields()
        headers[.contentType] = "application/x-ndjson"
        let position = store.log.position(of: baseline.sequence)
        headers[.firnPosition] = "\(position)"
        headers[.firnHead] = "\(head)"
        headers[.link] = "<\(options.prefix)/v1/changes?after=\(position)>; rel=\"next\""
        let body = ResponseBody { [metrics] writer in
            while let part = try await baseline.next() {
                if part.readableBytes > 0 { try await writer.write(part) }
                metrics.countSent(records: 0, bytes: part.readableBytes)
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private func trimmed(_ position: SequenceNumber) -> RequestFailure {
        RequestFailure(
            .gone, "the records up to \(store.log.baseline) were trimmed, so those after \(position) are not all there",
            remedy: "read \(options.prefix)/v1/baseline, and then the changes after its Firn-Position")
    }
}
#endif
