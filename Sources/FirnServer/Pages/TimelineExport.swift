#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The records of a timeline as a file: CSV for spreadsheets, JSON for programs.
extension TimelinePages {
    private static let exportMax = 10_000
    private static let exportDefault = 1_000
    /// Below the limit of a question, which would throw away what was found.
    private static let exportTime = Duration.seconds(3)
    private static let columns = ["record", "date", "author", "what"]

    /// `record,date,author,what`, newest first, with lines that end in CR and LF. The file's name says whether it is a
    /// part, and the field `Link` where the next one is.
    func csv(_ request: Request) async throws -> Response {
        let (rows, next) = try await exported(request)
        let lines = [Self.columns] + rows.map { [$0.number, $0.iso, $0.who, $0.sentence] }
        let text = lines.map { CSV.row($0.map(Self.uncomputed)) + "\r\n" }.joined()
        var response = Response.text(text, type: "text/csv; charset=utf-8; header=present")
        let name = next == nil ? "records" : "records-part"
        response.headers[.contentDisposition] = "attachment; filename=\"\(name).csv\""
        response.headers[.link] = next.map { "<\($0)>; rel=\"next\"" }
        return response
    }

    func json(_ request: Request) async throws -> Response {
        let (rows, next) = try await exported(request)
        let records: [JSON] = rows.map { row in
            .object([
                "record": .integer(Int64(row.number) ?? 0), "date": .text(row.iso), "author": .text(row.who),
                "what": .text(row.sentence),
            ])
        }
        return .json(["records": .array(records), "next": next.map(JSON.text)])
    }

    private func exported(_ request: Request) async throws -> (rows: [RecordRow], next: String?) {
        let parameters = try QueryParameters(request, single: Self.names.union(["limit"])).throughDay("to")
        let limit = try parameters.integer("limit", in: 1...Self.exportMax, or: Self.exportDefault)
        let filters = Self.filters(parameters)
        let (first, last) = try bounds(parameters)
        let (rows, position) = try await queries.run { [store, tables] monitor in
            let search = try TimelineSearch(
                filters, in: store, tables, from: last, downTo: first, limit: limit, timeout: Self.exportTime,
                counts: false, monitor)
            return (try RecordRow.rows(search.records, of: store, tables), search.next)
        }
        let path = request.uri.path
        let next = position.map {
            pages.base + path + "?" + parameters.query(replacing: "before", with: "\($0.next)")
        }
        return (rows, next)
    }

    /// A text that a spreadsheet would compute begins with an apostrophe, as it is typed there.
    private static func uncomputed(_ text: String) -> String {
        text.unicodeScalars.first.map("=+-@\t\r\n＝＋－＠".unicodeScalars.contains) == true ? "'" + text : text
    }
}

extension RecordRow {
    /// `changed Book/7 “Emma”: pages 300 → 310`
    fileprivate var sentence: String {
        (clauses.map { "\($0.verb) \($0.text)" } + [other].compactMap(\.self)).joined(separator: "; ")
    }
}
#endif
