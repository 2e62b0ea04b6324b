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

    let operation: Operation
    let before: JSON
    let after: JSON
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
        guard let date = json["ts_us"]?.integer ?? json["ts_ms"]?.integer.map({ $0 &* 1000 }) else {
            throw Failure(reason: "it has neither ts_us nor ts_ms")
        }
        self.operation = operation
        self.source = source
        self.date = date
        before = json["before"] ?? .null
        after = json["after"] ?? .null
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
