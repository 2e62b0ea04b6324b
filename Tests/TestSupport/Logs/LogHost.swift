package import FirnLog

/// What keeps logs, for the checks that hold every kind of log to the same contract.
package protocol LogHost: Sendable, CustomStringConvertible {
    /// A log without records that nobody else has.
    func create(_ storeID: StoreID) throws -> any ChangeLog
    /// The log that was created, opened once more, as another program would.
    func open() throws -> any ChangeLog
}

/// Values that checks of logs need.
package enum LogSamples {
    package static let date: Int64 = 1_700_000_000_000_000

    /// A record whose payload is about as long as `text`; every call makes another transaction.
    package static func record(_ text: String, key: Int64 = 1) -> (body: LogRecord.Body, header: TransactionHeader) {
        var column = Column(.text)
        column.append(text)
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: [key], slots: [0], new: [column])
        return (.changes(ChangeSet(model: 1, groups: [group])), TransactionHeader(date: date, id: .random()))
    }

    /// What `record` was given.
    package static func text(_ record: LogRecord) -> String {
        guard case .changes(let changes) = record.body, case .text(let text) = changes.groups[0].new[0][0]
        else { return "\(record.body)" }
        return text
    }

    package static let model = LogModel(
        entities: [
            LogEntity(
                number: EntityNumber(1), name: "Note", parent: nil,
                properties: [LogProperty(name: "text", kind: .attribute(.string))])
        ], document: Array("model".utf8))

    /// Text that does not compress.
    package static func noise(_ count: Int) -> String {
        var generator = SeededGenerator(seed: UInt64(count))
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
        var words = 0 as UInt64
        let bytes = (0..<count).map { index in
            if index % 10 == 0 { words = generator.next() }
            defer { words >>= 6 }
            return letters[Int(words & 63)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ChangeLog {
    /// Appends records of those texts as one run, where the log ends, and tries again when another writer is faster.
    @discardableResult
    package func save(_ texts: String...) throws -> FrameRun {
        let encoder = FrameEncoder()
        while true {
            let run = try encoder.run(texts.map { LogSamples.record($0) }, after: end())
            if case .conflict = try append(run) { continue }
            return run
        }
    }

    /// All records after a place, read in pieces.
    package func records(after place: LogCheckpoint? = nil, sizeMax: Int = 1 << 20) throws -> [LogRecord] {
        var place = try place ?? beginning()
        let decoder = FrameDecoder()
        var records: [LogRecord] = []
        while true {
            let run = try frames(after: place, sizeMax: sizeMax)
            if run.isEmpty { return records }
            records += try decoder.records(run, place: self.place)
            place = run.end
        }
    }

    /// The texts of all records.
    package func texts(sizeMax: Int = 1 << 20) throws -> [String] {
        try records(sizeMax: sizeMax).map(LogSamples.text)
    }
}
