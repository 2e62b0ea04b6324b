import FirnLog
import FirnProjection
import FirnStore
import Synchronization
import TestSupport
import Testing

/// Two engines with logs and tables of their own on the same files, as two programs have them.
@Suite("A store that another program writes too")
struct OtherProgramTests {
    private let directory: TemporaryDirectory
    private let mine: PlainStore
    private let theirs: PlainStore

    init() throws {
        directory = try TemporaryDirectory()
        // A program that saved brings its tables up to date a moment later, and may meet there what others wrote.
        let first = try PlainStore(directory.path + "/Notes.sqlite")
        for title in ["one", "two"] { #expect(first.commit(try first.insertion(title)) == .committed) }
        first.engine.close()
        mine = try PlainStore(directory.path + "/Notes.sqlite")
        theirs = try PlainStore(directory.path + "/Notes.sqlite")
    }

    /// The news that `body` brings.
    private func news(_ body: () throws -> Void) throws -> [String] {
        let heard = Mutex<[String]>([])
        let id = mine.engine.feed.subscribe { news in
            switch news {
            case .gap: heard.withLock { $0.append("gap") }
            case .records(let records): heard.withLock { $0 += records.map { "record \($0.sequence)" } }
            case .growth, .end: break
            }
        }
        defer { mine.engine.feed.cancel(id) }
        try body()
        return heard.withLock { $0 }
    }

    @Test("tells its followers what a save meets of the other program's")
    func met() throws {
        let update = try mine.update(1, "ONE")
        #expect(theirs.commit(try theirs.update(2, "TWO")) == .committed)
        let theirRecord = theirs.engine.log.head
        let heard = try news { _ = try mine.engine.commit(update) }
        #expect(heard == ["record \(theirRecord)"])
        #expect(try mine.titles() == [1: "ONE", 2: "TWO"])
    }

    @Test(
        "tells of a record before it counts as seen: another thread's refresh relies on that", arguments: [true, false])
    func toldFirst(isMet: Bool) throws {
        let update = try mine.update(1, "ONE")
        #expect(theirs.commit(try theirs.update(2, "TWO")) == .committed)
        let seen = Mutex<[SequenceNumber]>([])
        mine.engine.feed.subscribe { [engine = mine.engine] news in
            if case .records = news { seen.withLock { $0.append(engine.observedSequence) } }
        }
        let before = mine.engine.observedSequence
        if isMet { _ = try mine.engine.commit(update) } else { try mine.engine.refresh() }
        #expect(seen.withLock { $0 } == [before])
    }

    @Test("evicts what the other program changed at a save, also where the tables have the change already")
    func inTables() throws {
        #expect(try mine.cachedTitles() == [1: "one", 2: "two"])
        #expect(theirs.commit(try theirs.update(2, "TWO")) == .committed)
        #expect(try theirs.titles() == [1: "one", 2: "TWO"])
        #expect(mine.commit(try mine.update(1, "ONE")) == .committed)
        #expect(try mine.cachedTitles() == [1: "ONE", 2: "TWO"])
    }

    @Test("shows all that the other program appended, also if that takes several transactions of the tables")
    func farBehind() throws {
        try theirs.append((3...100).map { String(repeating: "\($0) ", count: 70_000) }, from: 3)
        #expect(try mine.titles().count == 100)
    }

    /// The store as a program has it that may write nothing. Its tables are its own, as those of the others are behind.
    private func readOnlyStore(_ progress: (@Sendable (Double) -> Void)? = nil) throws -> PlainStore {
        try Permissions.setWritable(false, directory.url)
        defer { try? Permissions.setWritable(true, directory.url) }
        return try Permissions.withoutPrivileges {
            try PlainStore(directory.path + "/Notes.sqlite", isReadOnly: true, progress: progress)
        }
    }

    @Test("is opened where nothing may be written, and has what the other program appends while tables are built")
    func readOnly() throws {
        try theirs.append((3...300).map { "note \($0)" }, from: 3)
        let log = try SegmentLog.open(directory: theirs.engine.log.directory, forWriting: true)
        defer { log.close() }
        let isFirst = Atomic(true)
        let reader = try readOnlyStore { [theirs] _ in
            guard isFirst.exchange(false, ordering: .relaxed) else { return }
            try? theirs.append(["last"], from: 301, to: log)
        }
        #expect(reader.engine.projection.checkpoint == log.head)
        #expect(try reader.titles().count == 100)
    }

    @Test("is read also where nothing may be written, when records that it had not seen were trimmed")
    func readOnlyTrimmed() throws {
        try theirs.append(["three"], from: 3)
        let reader = try readOnlyStore()
        try trimUnawares(reader, by: theirs)
        #expect(try reader.titles() == [1: "ONE", 2: "TWO", 3: "three"])
    }

    @Test("evicts all and tells of a gap when records that it had not seen were trimmed")
    func trimmed() throws {
        #expect(try mine.cachedTitles() == [1: "one", 2: "two"])
        #expect(theirs.commit(try theirs.update(2, "TWO")) == .committed)
        _ = try theirs.engine.trim(through: theirs.engine.log.head, ignoringSubscriptions: true)
        // Whoever is in the middle of a segment may still read what it holds.
        try mine.engine.log.refreshBeginning()
        let heard = try news { try mine.engine.refresh() }
        #expect(heard == ["gap"])
        #expect(try mine.cachedTitles() == [1: "one", 2: "TWO"])
    }

    /// Trims what this program has not seen, in a way that it finds out while it reads records. Each trim begins a
    /// segment: that of the second update is one whose file is opened too late.
    private func trimUnawares(_ mine: PlainStore, by theirs: PlainStore) throws {
        #expect(theirs.commit(try theirs.update(2, "TWO")) == .committed)
        _ = try theirs.engine.trim(through: theirs.engine.log.head, ignoringSubscriptions: true)
        #expect(theirs.commit(try theirs.update(1, "ONE")) == .committed)
        #expect(try mine.engine.log.refresh() == theirs.engine.log.head)
        _ = try theirs.engine.trim(through: theirs.engine.log.head, ignoringSubscriptions: true)
    }

    @Test("tells of a gap also if it finds only while it reads that records were trimmed")
    func trimmedUnawares() throws {
        try trimUnawares(mine, by: theirs)
        #expect(try news { try mine.engine.refresh() } == ["gap"])
        #expect(try mine.cachedTitles() == [1: "ONE", 2: "TWO"])
    }

    @Test("has saves made again, and fails none, also if it finds only while it saves that records were trimmed")
    func trimmedBeforeSave() throws {
        let (insertion, update) = (try mine.insertion("three"), try mine.update(1, "mine"))
        try trimUnawares(mine, by: theirs)
        var outcomes: [PlainStore.Outcome] = []
        #expect(try news { outcomes = [mine.commit(insertion), mine.commit(update)] } == ["gap"])
        #expect(outcomes == [.conflict, .conflict])
        #expect(mine.commit(try mine.insertion("three")) == .committed)
        #expect(try mine.titles().values.sorted() == ["ONE", "TWO", "three"])
    }

    @Test("reads also if it has tables of its own, and finds only while it reads that records were trimmed")
    func trimmedBeforeRead() throws {
        let files = MemoryLogFiles(isShared: true)
        let (mine, theirs) = (try PlainStore(nil, memory: files), try PlainStore(nil, memory: files))
        for title in ["one", "two"] { #expect(theirs.commit(try theirs.insertion(title)) == .committed) }
        #expect(try mine.titles() == [1: "one", 2: "two"])
        try trimUnawares(mine, by: theirs)
        #expect(try mine.titles() == [1: "ONE", 2: "TWO"])
    }
}
