import Foundation
import SwiftData
import Testing

@Suite("A store of one's own with snapshots, predicates, batches and history of its own")
struct LedgerStoreTests {
    let configuration = LedgerConfiguration()
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(for: Note.self, configurations: configuration)
        context = ModelContext(container)
    }

    private var book: LedgerBook { configuration.book }

    private func insert(_ titles: String...) throws {
        for title in titles { context.insert(Note(title: title, rank: title.count)) }
        try context.save()
        book.content.withLock { $0.log = [] }
    }

    @Test("the store evaluates the predicates that it can, and the others are evaluated in memory")
    func predicates() throws {
        try insert("a", "bb", "ccc")
        let title = "bb"
        let byTitle = FetchDescriptor<Note>(predicate: #Predicate { $0.title == title })
        #expect(try context.fetch(byTitle).map(\.rank) == [2])
        #expect(book.content.withLock { $0.log } == ["fetch by title"])
        let byRank = FetchDescriptor<Note>(
            predicate: #Predicate { $0.rank > 1 }, sortBy: [SortDescriptor(\.title, order: .reverse)])
        #expect(try context.fetch(byRank).map(\.title) == ["ccc", "bb"])
    }

    @Test("the store counts and gives identifiers without snapshots")
    func counts() throws {
        try insert("a", "bb")
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 2)
        #expect(try context.fetchIdentifiers(FetchDescriptor<Note>(), batchSize: 10).count == 2)
        #expect(book.content.withLock { $0.log } == ["count", "identifiers"])
        #expect(try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.rank > 1 })) == 1)
    }

    @Test("a model that nobody has fetched is read from the snapshots at hand")
    func cached() throws {
        try insert("a")
        let id = try #require(try context.fetchIdentifiers(FetchDescriptor<Note>()).first)
        let other = try ModelContainer(for: Note.self, configurations: configuration)
        book.content.withLock { $0.log = [] }
        #expect((ModelContext(other).model(for: id) as? Note)?.title == "a")
        #expect(book.content.withLock { $0.log } == ["cached"])
    }

    @Test("relationships among new models get the store's identifiers")
    func relationships() throws {
        let parent = Note(title: "p")
        parent.children = [Note(title: "c"), Note(title: "d")]
        context.insert(parent)
        try context.save()
        let rows = book.content.withLock { $0.rows }
        #expect(rows.values.allSatisfy { $0.persistentIdentifier.storeIdentifier == "LEDGER" })
        #expect(rows[parent.persistentModelID]?.children.count == 2)
        #expect(Set(rows.values.compactMap(\.parent)) == [parent.persistentModelID])
        let other = ModelContext(try ModelContainer(for: Note.self, configurations: configuration))
        let children = try other.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.parent != nil }))
        #expect(Set(children.map(\.title)) == ["c", "d"])
        #expect(children.allSatisfy { $0.parent?.title == "p" })
    }

    @Test("models that the store changes are read again by every context")
    func reregistered() throws {
        try insert("a")
        let reader = ModelContext(container)
        let same = try #require(try reader.fetch(FetchDescriptor<Note>()).first)
        let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
        note.title = "  b "
        try context.save()
        #expect(note.title == "b")
        #expect(!context.hasChanges)
        _ = try reader.fetchCount(FetchDescriptor<Note>())
        #expect(same.title == "b")
        let new = Note(title: " n")
        context.insert(new)
        try context.save()
        #expect(new.title == "n")
    }

    @Test("deleting by predicate is one request, with the next save")
    func batch() throws {
        try insert("a", "bb", "bb", "ccc")
        try context.delete(model: Note.self, where: #Predicate { $0.title == "bb" })
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 2)
        #expect(book.content.withLock { $0.rows.count } == 4)
        try context.save()
        #expect(book.content.withLock { $0.rows.count } == 2)
        #expect(book.content.withLock { ($0.batches, $0.deleted) } == (1, 0))
        try context.delete(model: Note.self)
        context.rollback()
        try context.save()
        #expect(book.content.withLock { $0.rows.count } == 2)
    }

    @Test("with unsaved changes, models deleted by predicate are deleted one by one")
    func batchWithChanges() throws {
        try insert("a", "bb")
        let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
        note.title = "bb"
        try context.delete(model: Note.self, where: #Predicate { $0.title == "bb" })
        try context.save()
        #expect(book.content.withLock { ($0.batches, $0.deleted, $0.rows.count) } == (0, 2, 0))
    }

    @Test("the store's history is fetched and deleted with a context")
    func history() throws {
        context.author = "ada"
        try insert("a")
        context.author = nil
        try insert("b")
        let all = try context.fetchHistory(HistoryDescriptor<LedgerTransaction>())
        #expect(all.map(\.author) == ["ada", nil])
        let ids = try context.fetchIdentifiers(FetchDescriptor<Note>())
        #expect(all.flatMap(\.changes).map(\.changedPersistentIdentifier) == ids)
        let token = all[0].token
        let later = #Predicate<LedgerTransaction> { $0.token > token }
        #expect(try context.fetchHistory(HistoryDescriptor(predicate: later)).count == 1)
        try context.deleteHistory(HistoryDescriptor(predicate: later))
        #expect(try context.fetchHistory(HistoryDescriptor<LedgerTransaction>()).map(\.token) == [token])
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
    }

    @Test("a save tells the token of the store's history")
    func token() throws {
        nonisolated(unsafe) var tokens: [String: any HistoryToken] = [:]
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { note in
            let key = ModelContext.NotificationKey.historyTokens
            tokens = note.userInfo?[key] as? [String: any HistoryToken] ?? [:]
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try insert("a")
        #expect(tokens["LEDGER"] as? LedgerToken == LedgerToken(tokenValue: 1))
    }
}
