#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// A record as one line of the timeline.
struct RecordRow {
    /// What was done with some objects: `changed Book/7 “Emma”: pages 300 → 310`.
    struct Clause {
        let kind: String
        let verb: String
        let text: String
        /// The beginning, as far as a line of the timeline shows it.
        let shown: String
    }

    private static let shownMax = 400
    private static let nameMax = 100

    let number: String
    let iso: String
    let date: String
    let who: String
    /// The beginning of a long name.
    let shownWho: String
    let clauses: [Clause]
    /// The text of a record without objects. Not `text`: templates look a missing name up further out, where the
    /// timeline has its filter.
    let other: String?

    /// - Parameter lookup: finds values that name the objects.
    init(_ summary: RecordSummary, _ lookup: RecordSentence.Lookup) {
        let record = summary.record
        number = "\(record.sequence)"
        iso = LogDate(record.header.date).iso8601
        date = PageDate.text(record.header.date)
        who = record.header.author ?? record.header.processName
        shownWho = PageText.cut(who, Self.nameMax)
        if case .changes(let changes) = record.body, let names = summary.names {
            let sentence = RecordSentence(changes, names, lookup).clauses
            clauses = sentence.map {
                Clause(
                    kind: Self.kind($0.operation), verb: $0.verb, text: $0.text,
                    shown: PageText.cut($0.text, Self.shownMax / sentence.count))
            }
        } else {
            clauses = []
        }
        other = Self.text(summary).map { PageText.cut($0, Self.shownMax) }
    }

    /// Rows of the timeline. Objects are named by the values that they have now, where the store's tables can be read.
    static func rows(_ records: [LogRecord], of store: ServedStore, _ tables: StateReader) throws -> [RecordRow] {
        let summaries = try records.map { try store.summary(of: $0) }
        let rows = try? tables.readPresent(store.refresh()) { state in
            summaries.map { summary in
                RecordRow(summary) { key, slot in
                    guard case .changes(let changes) = summary.record.body, changes.model == state.model
                    else { return nil }
                    return (try? state.reader.value(of: key, slot: Int(slot))) ?? nil
                }
            }
        }
        return (rows ?? nil) ?? summaries.map { RecordRow($0) { _, _ in nil } }
    }

    private static func kind(_ operation: ChangeGroup.Operation) -> String {
        switch operation {
        case .insert: "added"
        case .update: "changed"
        case .delete: "removed"
        case .refresh: "muted"
        }
    }

    private static func text(_ summary: RecordSummary) -> String? {
        switch summary.record.body {
        case .model(let model): return "model of " + Counted.text(model.entities.count, "entity", "entities")
        case .reservation: return "keys reserved"
        case .erasure: return "values erased"
        case .baseline: return "baseline"
        case .changes(let changes):
            let links = changes.links.linkCount
            if links == 0 || !changes.groups.isEmpty { return nil }
            return Counted.text(links, "member")
        }
    }
}

/// A moment for a `time` element, which shows it in the reader's zone.
struct PageTime {
    let iso: String
    let date: String

    init(_ microseconds: Int64) { (iso, date) = (LogDate(microseconds).iso8601, PageDate.text(microseconds)) }
}

/// Dates as pages show them: in UTC, to the second.
enum PageDate {
    static func text(_ microseconds: Int64) -> String {
        LogDate(microseconds).wholeSeconds.replacing("T", with: " ")
    }
}
#endif
