import FirnLog

/// Values that several tests need.
enum Samples {
    static let date: Int64 = 1_700_000_000_000_000
    static let storeID = StoreID(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF)

    static func header(_ number: UInt64 = 1) -> TransactionHeader {
        TransactionHeader(
            date: date + Int64(number) * 1_000_000, id: TransactionID(high: 7, low: number),
            author: "Ada Lovelace", contextName: nil, processName: "git-history", processID: 4711)
    }

    static let model = LogModel(
        entities: [
            LogEntity(
                number: EntityNumber(1), name: "Note", parent: nil,
                properties: [
                    LogProperty(name: "title", kind: .attribute(.string)),
                    LogProperty(name: "date", kind: .attribute(.date)),
                    LogProperty(name: "stars", kind: .attribute(.integer16)),
                    LogProperty(name: "owner", kind: .toOne(destination: EntityNumber(2))),
                ])
        ], document: Array("model".utf8))

    /// One object with a title, a date, an integer and a reference.
    static func oneNote(_ key: Int64, title: String = "Buy milk and bread") -> LogRecord.Body {
        var titles = Column(.text)
        titles.append(title)
        var dates = Column(.real)
        dates.append(725_760_000.5)
        var stars = Column(.integer)
        stars.append(5 as Int64)
        var owners = Column(.reference)
        owners.append(ObjectKey(entity: EntityNumber(2), primaryKey: 12))
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: [key], slots: [0, 1, 2, 3],
            new: [titles, dates, stars, owners])
        return .changes(ChangeSet(model: 1, groups: [group]))
    }
}

extension SegmentLog {
    /// Appends records and makes them durable; returns the last one's number.
    @discardableResult
    func save(_ bodies: LogRecord.Body...) throws -> SequenceNumber {
        let head = try exclusively {
            for body in bodies {
                try append(body, header: Samples.header(self.head.rawValue + 1))
            }
            return self.head
        }
        try sync(through: head)
        return head
    }

    /// All records that are there.
    func all() throws -> [LogRecord] {
        let reader = try records(after: .zero)
        var records: [LogRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }
}
