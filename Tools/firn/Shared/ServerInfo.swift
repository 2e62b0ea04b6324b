import FirnInspection
import FirnLog
import FirnPostgres

/// What `firn info` says of a store by its server's address. The log is not read.
struct ServerInfo {
    private let address: PostgresAddress
    private let log: PostgresLog
    private let beginning: LogCheckpoint
    private let end: LogCheckpoint
    private let acknowledgement: Acknowledgement

    init(_ address: PostgresAddress) throws {
        self.address = address
        log = try PostgresLog.open(at: address, forWriting: false)
        beginning = try log.beginning()
        end = try log.end()
        acknowledgement = try log.acknowledgement()
    }

    func print(json: Bool) throws {
        var output = Output()
        if json {
            output.line(object.line)
        } else {
            output.pairs(lines)
        }
        output.flush()
    }

    private var isEmpty: Bool { end.sequence == beginning.sequence }

    private var lines: [(String, String)] {
        var lines = [
            ("store", address.description), ("id", log.storeID.uuidString),
            ("records", isEmpty ? "none" : "\(beginning.sequence.next) to \(end.sequence)"),
            ("append", acknowledgement.description),
        ]
        if end.sequence > .zero { lines.append(("last date", LogDate(end.date).local)) }
        return lines
    }

    private var object: JSONObject {
        return [
            "store": .text(address.description), "id": .text(log.storeID.uuidString),
            "first": .number(beginning.sequence.next.rawValue), "head": .number(end.sequence.rawValue),
            "disks": .number(acknowledgement.diskCount),
            "lastDate": end.sequence > .zero ? .text(LogDate(end.date).iso8601) : nil,
        ]
    }
}
