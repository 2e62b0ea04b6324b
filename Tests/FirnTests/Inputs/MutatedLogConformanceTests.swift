import Firn
import FirnLog
import FirnModel
import Foundation
import TestSupport
import Testing

/// Damaged files of a log, under a store that is opened by them.
@Suite("Mutated files of a log")
struct MutatedLogConformanceTests {
    /// Damages one file of the log in a store without tables, and uses the store.
    private func check(_ kind: String, _ name: String, isTrimmed: Bool = false, original: [UInt8]? = nil) throws {
        let folder = try StoreFolder(isTrimmed: isTrimmed)
        let bytes = original ?? folder.bytes(name)
        try #require(!bytes.isEmpty)
        let url = folder.path(name)
        var mutations = Mutations(kind)
        let silent = mutations.run([bytes]) { bytes in
            try folder.restore()
            folder.removeTables()
            try Data(bytes).write(to: url)
            try folder.use()
        }
        #expect(silent == [])
    }

    @Test("m.15 mutations of a log's segment are refused or open, and never crash")
    func segments() throws { try check("log segment", ".segment") }

    @Test("m.15 mutations of a log's baseline are refused or open, and never crash")
    func baselines() throws { try check("log baseline", ".baseline", isTrimmed: true) }

    @Test(
        "m.15 mutations of a log's small files are refused or open, and never crash",
        arguments: ["metadata", "mail.subscription", "lock", "trim.lock", "next.tmp", "erasure.pending", "upstream"])
    func smallFiles(_ name: String) throws {
        let own: [String: String] = [
            "upstream": "postgresql://ada@db1:5433,db2/library?sslmode=require#Notes", "erasure.pending": "1234567",
            "lock": "0", "trim.lock": "0", "next.tmp": "FIRNLOG\n1",
        ]
        try check("log's " + name, name, original: own[name].map { Array($0.utf8) })
    }

    @Test("m.15 records whose payload was mutated, with sums that hold, are refused or open, and never crash")
    func records() throws {
        let folder = try StoreFolder()
        let log = try SegmentLog.open(directory: folder.log, forWriting: false)
        let reader = try log.records(after: .zero)
        var records: [LogRecord] = []
        while let record = try reader.next() { records.append(record) }
        log.close()
        let storeID = log.storeID
        var mutations = Mutations("log records")
        let silent = mutations.run { mutations in
            let changed = mutations.random(in: 0...records.count - 1)
            var list = records
            list[changed] = try Self.mutated(records[changed], &mutations)
            try folder.restore()
            folder.removeTables()
            try FileManager.default.removeItem(atPath: folder.log)
            let log = try SegmentLog.create(directory: folder.log, storeID: storeID, date: 0)
            defer { log.close() }
            try log.exclusively {
                for record in list { try log.sync(through: log.append(record.body, header: record.header)) }
            }
            log.close()
            try folder.use()
        }
        #expect(silent == [])
    }

    @Test("m.15 a record that sets a slot or an entity that its model lacks is an error", arguments: [false, true])
    func unknownSlot(isEntity: Bool) throws {
        let folder = try StoreFolder()
        folder.removeTables()
        let log = try SegmentLog.open(directory: folder.log, forWriting: true)
        let model = try #require(try log.currentModel).sequence
        var column = Column(.text)
        column.append(.text("x"))
        let group = ChangeGroup(
            entity: EntityNumber(isEntity ? 99 : 1), operation: .insert, primaryKeys: [50], slots: [isEntity ? 0 : 99],
            new: [column])
        try log.exclusively {
            let header = TransactionHeader(date: 0, id: TransactionID(high: 1, low: 1))
            try log.sync(through: log.append(.changes(ChangeSet(model: model, groups: [group])), header: header))
        }
        log.close()
        #expect(throws: NSError.self) { try FirstUse.open(folder.url, Library.model()) }
    }

    /// A record that still decodes; after 20 tries that do not, the last error.
    private static func mutated(_ record: LogRecord, _ mutations: inout Mutations) throws -> LogRecord {
        let payload = record.payload()
        for _ in 0..<20 {
            var bytes = payload
            for _ in 0...mutations.random(in: 0...1) {
                let place = mutations.random(in: 0...bytes.count - 1)
                bytes[place] = UInt8(mutations.random(in: 0...255))
            }
            mutations.keep(bytes)
            let changed = try? LogRecord(
                decoding: bytes, kind: record.kind, sequence: record.sequence, date: record.header.date)
            if let changed, changed.body != record.body { return changed }
        }
        return try LogRecord(decoding: [], kind: record.kind, sequence: record.sequence, date: record.header.date)
    }

    @Test("m.15 mutations of a large value's file are nil or the value, and never crash")
    func largeValues() throws {
        let photos = try PhotoStore()
        let large = PhotoStore.bytes(1)
        _ = try photos.add("a", large)
        try photos.close()
        let file = URL(fileURLWithPath: photos.url.path + "-log/external/" + photos.files[0])
        var mutations = Mutations("large value")
        let silent = mutations.run([[UInt8](large)]) { bytes in
            try Data(bytes).write(to: file)
            let found = try PhotoStore.read(photos.url)
            #expect(found["a"] == .some(nil) || found["a"] == large)
        }
        #expect(silent == [])
    }
}

extension LogRecord {
    fileprivate var kind: FrameKind {
        switch body {
        case .model: .model
        case .changes: .changes
        case .reservation: .reservation
        default: .erasure
        }
    }
}
