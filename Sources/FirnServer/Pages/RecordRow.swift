#if Server
import FirnInspection
import FirnLog

/// A record as one line of the timeline.
struct RecordRow {
    /// How many objects of an entity were created, changed or deleted.
    struct Part {
        let kind: String
        let sign: String
        let word: String
        let count: Int
        let name: String
    }

    let number: String
    let iso: String
    let date: String
    let who: String
    let parts: [Part]
    /// The text of a record without objects.
    let text: String?

    init(_ summary: RecordSummary) {
        let record = summary.record
        number = "\(record.sequence)"
        iso = LogDate(record.header.date).iso8601
        date = PageDate.text(record.header.date)
        who = record.header.author ?? record.header.processName
        parts = [
            ("added", "+", "created", summary.inserted), ("changed", "~", "changed", summary.updated),
            ("removed", "−", "deleted", summary.deleted),
        ].flatMap { kind, sign, word, counts in
            counts.sorted { $0.key < $1.key }.map {
                Part(kind: kind, sign: sign, word: word, count: $0.value, name: $0.key)
            }
        }
        text = Self.text(summary)
    }

    private static func text(_ summary: RecordSummary) -> String? {
        switch summary.record.body {
        case .model(let model): return "model of \(model.entities.count) entities"
        case .reservation: return "keys reserved"
        case .erasure: return "values erased"
        case .baseline: return "baseline"
        case .changes(let changes):
            let links = changes.links.reduce(0) { $0 + $1.added.count + $1.removed.count }
            return links > 0 ? "\(links) members" : nil
        }
    }
}

/// Dates as pages show them: in UTC, to the second.
enum PageDate {
    static func text(_ microseconds: Int64) -> String {
        LogDate(microseconds).wholeSeconds.replacing("T", with: " ")
    }
}
#endif
