import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool and a log that lost records which the tables hold")
struct LostRecordTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    /// How the log loses its last two records.
    enum Loss: String, CaseIterable, Sendable {
        /// The last segment is gone.
        case segment
        /// The segment ends after an earlier record.
        case cut
    }

    init() throws { store = try SampleStore() }

    /// The tables know that record 4 was durable, and the log ends earlier.
    private func lose(_ loss: Loss) throws {
        _ = try firn.run("rebuild", store.path)
        let folder = store.folder.file("Lost.sqlite")
        let earlier = try SegmentLog.create(
            directory: folder.path + "-log", storeID: store.log.storeID, date: 0)
        try earlier.exclusively {
            let reader = try store.log.records(after: .zero)
            while let record = try reader.next(), record.sequence <= 2 {
                try earlier.sync(through: earlier.append(record.body, header: record.header))
            }
        }
        earlier.close()
        store.log.close()
        let name = "00000000000000000001.segment"
        let (from, to) = (folder.path + "-log/" + name, store.segment)
        if loss == .segment {
            try FileManager.default.removeItem(at: to)
            try FileManager.default.copyItem(atPath: from, toPath: to.path)
        } else {
            // The bytes of the records that stay, and no more.
            let sound = try Data(contentsOf: URL(fileURLWithPath: from))
            let end = (sound.lastIndex { $0 != 0 } ?? 0) + 1
            try Data(contentsOf: to).prefix(end).write(to: to)
        }
    }

    private var tables: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: store.path)) } }

    @Test("rebuild refuses, names both records and an explicit way, and leaves the tables", arguments: Loss.allCases)
    func rebuild(_ loss: Loss) throws {
        try lose(loss)
        let before = try tables
        let result = try firn.run("rebuild", store.path)
        #expect(result.status == 1, "\(result)")
        #expect(result.complaints.contains("ends with record 2, and the tables hold record 4"), "\(result)")
        #expect(result.complaints.contains("firn rebuild --set-tables-aside"), "\(result)")
        #expect(try tables == before)
    }

    @Test("rebuild keeps the old tables if it is told to, and all is well then", arguments: Loss.allCases)
    func setAside(_ loss: Loss) throws {
        try lose(loss)
        let before = try tables
        let result = try firn.run("rebuild", "--set-tables-aside", store.path)
        #expect(result.status == 0, "\(result)")
        let kept = store.folder.file("People.sqlite.replaced")
        #expect(try Data(contentsOf: kept) == before)
        #expect(result.lines.last == "what was in its place is kept as \(kept.path)")
        #expect(try firn.run("verify", store.path).status == 0)
        #expect(try firn.run("export", store.path).status == 0)
    }

    @Test("verify says which records are lost, and does not lead into a rebuild")
    func verify() throws {
        try lose(.segment)
        let result = try firn.run("verify", store.path)
        #expect(result.status == 1, "\(result)")
        #expect(result.output.contains("ends with record 2, and the tables hold record 4"), "\(result)")
        #expect(!result.output.contains("firn rebuild"), "\(result)")
        let json = try firn.run("verify", "--json", store.path)
        #expect(json.output.contains(#""sound":false"#), "\(json)")
    }

    @Test("export writes what there is, says what is lost, and ends with status 1")
    func export() throws {
        try lose(.segment)
        let result = try firn.run("export", store.path)
        #expect(result.status == 1, "\(result)")
        #expect(!result.lines.isEmpty)
        #expect(result.complaints.contains("the tables hold record 4"), "\(result)")
    }

    @Test("history tables that have the lost records stay, and are not asked", arguments: Loss.allCases)
    func history(_ loss: Loss) throws {
        #expect(try firn.run("sql", store.path).status == 0)
        try lose(loss)
        let file = URL(fileURLWithPath: store.path + "-history")
        let before = try Data(contentsOf: file)
        let result = try firn.run("sql", "--json", store.path, "SELECT max(number) AS last FROM firn_records")
        #expect(result.lines == [#"{"last":2}"#], "\(result.complaints)")
        #expect(try Data(contentsOf: file) == before)
    }

    @Test("replicate copies nothing, and says why")
    func replicate() throws {
        try lose(.segment)
        let copy = store.folder.file("Replica.sqlite").path
        let result = try firn.run("replicate", store.path, copy, "--until", "head")
        #expect(result.status == 1, "\(result)")
        #expect(result.complaints.contains("the tables hold record 4"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: copy + "-log"))
    }

    @Test("verbs that show a log say so on standard error", arguments: [["log"], ["info"], ["show", "1"]])
    func showing(_ verb: [String]) throws {
        try lose(.segment)
        let result = try firn.run([verb[0], store.path] + verb.dropFirst())
        #expect(result.status == 0, "\(result)")
        #expect(result.complaints.contains("the tables hold record 4"), "\(result)")
    }

    @Test("import-changes writes nothing to such a store")
    func importing() throws {
        try lose(.segment)
        let line = store.folder.file("lines.jsonl")
        try Data(firn.run("export", store.path).output.utf8).write(to: line)
        let result = try firn.run("import-changes", store.path, line.path)
        #expect(result.status == 1, "\(result)")
        #expect(result.complaints.contains("the tables hold record 4"), "\(result)")
    }
}

@Suite("The tool and a store whose file was deleted")
struct RestoreToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    private var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: store.folder.path)) }
    }

    @Test("looking at it sets nothing aside", arguments: [["info"], ["verify"], ["log"], ["fetch", "Person"]])
    func looking(_ verb: [String]) throws {
        let before = try names
        let result = try firn.run([verb[0], store.path] + verb.dropFirst())
        #expect(result.status == 0, "\(result)")
        #expect(try names == before)
    }

    @Test("restore puts the last log back that was set aside, and says so")
    func restore() throws {
        let kept = store.path + ".2026-11-26T15.30.02.123Z"
        try FileManager.default.moveItem(atPath: store.path + "-log", toPath: kept + "-log")
        #expect(try firn.run("log", kept).lines.count == 5)
        let result = try firn.run("restore", store.path)
        #expect(result.status == 0, "\(result)")
        #expect(result.lines == ["\(store.path): records through 4 are back; the tables are built on opening"])
        #expect(try firn.run("log", store.path).lines.count == 5)
        #expect(try firn.run("restore", store.path).status == 2)
    }

    @Test("restore sets the log aside that is there, so a second one undoes it")
    func twice() throws {
        let kept = store.path + ".2026-11-26T15.30.02.123Z"
        try FileManager.default.createDirectory(atPath: kept + "-log", withIntermediateDirectories: false)
        let other = try SegmentLog.create(directory: kept + "-log", storeID: StoreID(high: 9, low: 9), date: 0)
        try other.exclusively {
            for key in 1...3 as ClosedRange<Int64> {
                try other.append(
                    .reservation([SampleStore.person: key]),
                    header: TransactionHeader(date: 0, id: TransactionID(high: 1, low: 1)))
            }
            try other.sync(through: other.head)
        }
        other.close()
        let result = try firn.run("restore", store.path)
        #expect(result.status == 0, "\(result)")
        #expect(try SegmentLog.storeID(directory: store.path + "-log") == StoreID(high: 9, low: 9))
        #expect(result.lines.last?.hasPrefix("the log that was in its place is kept as \(store.path).") == true)
        #expect(try firn.run("restore", store.path).status == 0)
        #expect(try SegmentLog.storeID(directory: store.path + "-log") == store.log.storeID)
    }

    @Test("a copy that replicate makes is opened as the store, though it has no tables yet")
    func replica() throws {
        let copy = store.folder.file("Replica.sqlite").path
        #expect(try firn.run("replicate", store.path, copy, "--until", "head").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)).isEmpty)
        #expect(try firn.run("trim", "--keep", "100", copy).status == 0)
        #expect(try firn.run("verify", copy).output.contains("tables: equal"))
    }
}
