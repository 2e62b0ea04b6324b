#if Server
import FirnFoundation
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// The service's counters, for `/metrics`.
final class ServerMetrics: Sendable {
    private struct Counts {
        var responses: [Int: Int] = [:]
        var followers = 0
        var recordsSent = 0
        var bytesSent = 0
        var commentsSent = 0
        var recordsEncoded = 0
        var queries = 0
        var queriesCancelled = 0
    }

    private let counts = Mutex(Counts())

    func count(_ status: HTTPResponse.Status) { counts.withLock { $0.responses[status.code, default: 0] += 1 } }
    func countEncoded(_ records: Int) { counts.withLock { $0.recordsEncoded += records } }
    func countComment() { counts.withLock { $0.commentsSent += 1 } }

    func countSent(records: Int, bytes: Int) {
        counts.withLock {
            $0.recordsSent += records
            $0.bytesSent += bytes
        }
    }

    func countQuery(isCancelled: Bool) {
        counts.withLock {
            $0.queries += 1
            if isCancelled { $0.queriesCancelled += 1 }
        }
    }

    /// Adds a follower, unless there are too many. Returns whether it did.
    func addFollower(max: Int) -> Bool {
        counts.withLock {
            guard $0.followers < max else { return false }
            $0.followers += 1
            return true
        }
    }

    func removeFollower() { counts.withLock { $0.followers -= 1 } }

    var followerCount: Int { counts.withLock { $0.followers } }

    /// Reports an error that is not the client's.
    func report(_ error: any Error) { Report.post("\(error)", .error, prefix: "firn-serve: ") }

    /// https://prometheus.io/docs/instrumenting/exposition_formats/
    func text(head: UInt64, first: UInt64) -> String {
        let counts = counts.withLock { $0 }
        var lines: [String] = []
        func add(_ name: String, _ kind: String, _ help: String, _ values: [(labels: String, value: String)]) {
            lines.append("# HELP firn_\(name) \(help)")
            lines.append("# TYPE firn_\(name) \(kind)")
            lines += values.map { "firn_\(name)\($0.labels) \($0.value)" }
        }
        func add(_ name: String, _ kind: String, _ help: String, _ value: Int) {
            add(name, kind, help, [("", String(value))])
        }
        add("head_record", "gauge", "The last record of the log.", [("", String(head))])
        add("first_record", "gauge", "The first record that was not trimmed.", [("", String(first))])
        add("followers", "gauge", "Open streams of changes.", counts.followers)
        add(
            "responses_total", "counter", "Responses by status.",
            counts.responses.sorted { $0.key < $1.key }.map { ("{status=\"\($0.key)\"}", String($0.value)) })
        add("records_encoded_total", "counter", "Records encoded for followers.", counts.recordsEncoded)
        add("records_sent_total", "counter", "Records sent to followers.", counts.recordsSent)
        add("bytes_sent_total", "counter", "Bytes of records sent to followers.", counts.bytesSent)
        add("comments_sent_total", "counter", "Comments sent to idle followers.", counts.commentsSent)
        add("queries_total", "counter", "Questions to the tables.", counts.queries)
        add("queries_cancelled_total", "counter", "Questions that took too long.", counts.queriesCancelled)
        if let memory = Self.residentSize {
            add("resident_memory_bytes", "gauge", "Memory of the process.", memory)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static var residentSize: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
    }
}
#endif
