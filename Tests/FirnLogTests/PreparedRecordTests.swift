import FirnLog
import Testing

@Suite("Records that were prepared without the writer's lock")
struct PreparedRecordTests {
    private let log: SegmentLog

    init() throws {
        log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: Samples.date)
        try log.save(.model(Samples.model))
    }

    private func append(_ records: [PreparedRecord]) throws {
        let outcomes = try log.exclusively { try log.append(records) }
        try log.sync(through: outcomes.map { try $0.get().head }.max() ?? .zero)
    }

    @Test("several records are appended in their order, each chained to the one before")
    func several() throws {
        let bodies = (2...6).map { Samples.oneNote($0) }
        try append(bodies.map { log.prepare($0, header: Samples.header(1)) })
        #expect(try log.all().map(\.body) == [.model(Samples.model)] + bodies)
        #expect(try LogMaintenance(log).verify().isSound)
    }

    @Test("of several records none is dated before the one ahead of it")
    func dates() throws {
        try append([9, 5, 7].map { log.prepare(Samples.oneNote(Int64($0)), header: Samples.header($0)) })
        #expect(try log.all().dropFirst().map(\.header.date) == [9, 9, 9].map { Samples.header($0).date })
    }

    @Test("a record reads the same when the segment got another dictionary since it was prepared")
    func otherDictionary() throws {
        let title = "the title of a note number "
        #expect(try LogMaintenance(log).adopt(dictionary: Array(title.utf8)))
        let body = Samples.oneNote(2, title: title + "2")
        let record = log.prepare(body, header: Samples.header(2))
        #expect(try LogMaintenance(log).adopt(dictionary: Array("another one altogether, and longer".utf8)))
        try append([record])
        #expect(try log.record(at: 2).body == body)
        #expect(try LogMaintenance(log).verify().isSound)
    }

    @Test("a large record among small ones is whole")
    func large() throws {
        let bodies = [
            Samples.oneNote(2), Samples.oneNote(3, title: String(repeating: "x", count: 700_000)), Samples.oneNote(4),
        ]
        try append(bodies.map { log.prepare($0, header: Samples.header(1)) })
        #expect(try log.all().dropFirst().map(\.body) == bodies)
    }
}
