import FirnInspection
import FirnLog

/// One line of `firn export`: what happened to one object, or to one member of a relationship.
struct ChangeLine {
    /// A line that cannot be read, in words.
    struct Failure: Error {
        var reason: String
    }

    enum Operation: String {
        case created = "c"
        case read = "r"
        case updated = "u"
        case deleted = "d"
    }

    /// Microseconds from 1970 to the end of the year 9999.
    private static let dateMax = 253_402_300_800e6

    let operation: Operation
    /// Null if nothing was there, or if all of it was erased; nil if the line does not say.
    let before: JSON?
    let after: JSON?
    let source: JSON
    /// Microseconds since 1970.
    let date: Int64

    init(_ text: String) throws(Failure) {
        let json: JSON
        do throws(JSON.ParseFailure) { json = try JSON(parsing: text) } catch {
            throw Failure(reason: "it is no JSON: \(error.what)")
        }
        guard let name = json["op"]?.text, let operation = Operation(rawValue: name) else {
            throw Failure(reason: "its op is none of c, r, u and d")
        }
        guard let source = json["source"], case .object = source else { throw Failure(reason: "it has no source") }
        guard
            let date = json["ts_us"]?.integer
                ?? json["ts_ms"]?.integer.map({ $0.multipliedReportingOverflow(by: 1000) })
                .map({ $0.overflow ? .max : $0.partialValue })
        else { throw Failure(reason: "it has neither ts_us nor ts_ms") }
        // Dates of a log never go back: one far in the future would be that of all later saves.
        guard abs(Double(date)) <= Self.dateMax else {
            throw Failure(reason: "its date, \(date), is of no year up to 9999")
        }
        self.operation = operation
        self.source = source
        self.date = date
        for name in ["author", "context"] {
            guard let value = source[name], !value.isNull, value.text == nil else { continue }
            throw Failure(reason: "its source.\(name) is \(value.line), and no text")
        }
        if let metadata = source["metadata"], !metadata.isNull {
            guard case .object(let object) = metadata, object.all.allSatisfy({ $0.value.text != nil }) else {
                throw Failure(reason: "its source.metadata has other values than texts")
            }
        }
        before = json["before"]
        after = json["after"]
    }

    /// Lines of one change set have the same.
    var sequence: Int64? { source["sequence"]?.integer }

    var header: TransactionHeader {
        var header = TransactionHeader(
            date: date, id: .random(), author: source["author"]?.text, contextName: source["context"]?.text,
            processName: "firn")
        if case .object(let metadata)? = source["metadata"] {
            for (key, value) in metadata.all { header.metadata[key] = value.text }
        }
        return header
    }
}
