#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The page that shows what undoing a record would do, with the button that does it.
struct RevertPages: Sendable {
    /// How far back a revert looks for the record that it made.
    private static let searchMax: UInt64 = 100

    let store: ServedStore
    let records: RecordRoutes
    let queries: QueryRunner
    let reverter: Reverter
    let pages: PageLibrary

    private struct Card {
        let kind: String
        let sign: String
        let word: String
        let object: String
        let properties: [Property]
        let hasProperties: Bool

        init(_ change: Reversal.Change) {
            (kind, sign, word) =
                switch change.kind {
                case .insert: ("added", "+", "is created")
                case .update: ("changed", "~", "changes")
                case .delete: ("removed", "−", "is deleted")
                }
            object = change.object
            properties = change.properties.map { Property(name: $0.name, old: $0.old ?? "nil", new: $0.new ?? "nil") }
            hasProperties = !properties.isEmpty
        }
    }

    private struct Property {
        let name: String
        let old: String
        let new: String
    }

    /// Shows what would be done. Nothing is written.
    func preview(_ request: Request, number: String) async throws -> Response {
        _ = try QueryParameters(request, single: [], isForm: true)
        let record = try await revertible(number)
        let outcome = try await queries.run { [reverter] _ in try reverter.preview(record) }
        var response = page(record, outcome, status: .ok)
        // Without a referrer a browser says of the form that follows that it comes from nowhere.
        response.headers[.referrerPolicy] = "same-origin"
        return response
    }

    /// Does it, and leads to the record that says so.
    func revert(_ request: Request, number: String) async throws -> Response {
        let record = try await revertible(number)
        let outcome = try await queries.run { [reverter] _ in try reverter.revert(record) }
        guard outcome.obstacles.isEmpty else { return page(record, outcome, status: .conflict) }
        let made = try store.described { try newest(reverting: record.sequence) }
        return Response(
            status: .seeOther, headers: [.location: made.map { pages.record($0.rawValue) } ?? pages.base + "/"])
    }

    private func revertible(_ number: String) async throws -> LogRecord {
        let record = try await records.record(number)
        guard case .changes = record.body else {
            throw RequestFailure(
                .conflict, "record \(record.sequence) has no changes of objects", remedy: "revert another record")
        }
        return record
    }

    private func newest(reverting number: SequenceNumber) throws -> SequenceNumber? {
        let name = Reverter.contextName(reverting: number)
        let head = try store.refresh().rawValue
        let last = max(store.log.first.rawValue, head > Self.searchMax ? head - Self.searchMax : 1)
        for number in stride(from: head, through: last, by: -1) {
            let record = try store.log.record(at: SequenceNumber(number))
            if record.header.contextName == name { return record.sequence }
        }
        return nil
    }

    private func page(_ record: LogRecord, _ outcome: Reversal, status: HTTPResponse.Status) -> Response {
        let number = record.sequence.rawValue
        let isPossible = outcome.obstacles.isEmpty
        let content: [String: Any] = [
            "number": "\(number)", "href": pages.record(number), "action": pages.record(number) + "/revert",
            "isPossible": isPossible && !outcome.changes.isEmpty, "isEmpty": isPossible && outcome.changes.isEmpty,
            "isImpossible": !isPossible, "obstacles": outcome.obstacles, "changes": outcome.changes.map(Card.init),
        ]
        return pages.page("revert", title: "Revert record \(number)", view: "/", content, status: status)
    }
}
#endif
