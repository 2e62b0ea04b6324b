import Foundation
import SwiftData
import Synchronization

@Model
final class Note {
    var title: String
    var rank: Int = 0
    var parent: Note?
    @Relationship(deleteRule: .nullify, inverse: \Note.parent) var children: [Note] = []

    init(title: String, rank: Int = 0) {
        self.title = title
        self.rank = rank
    }
}

/// A snapshot that knows its model.
struct NoteSnapshot: DataStoreSnapshot, Equatable {
    let persistentIdentifier: PersistentIdentifier
    var title: String
    var rank: Int
    var parent: PersistentIdentifier?
    var children: [PersistentIdentifier]

    init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
        guard let data = backingData as? any BackingData<Note>, let id = data.persistentModelID else {
            fatalError("a ledger has notes only, not \(backingData.metadata)")
        }
        persistentIdentifier = id
        title = data.getValue(forKey: \.title)
        rank = data.getValue(forKey: \.rank)
        let parent: Note? = data.getValue(forKey: \.parent)
        self.parent = parent?.persistentModelID
        let children: [Note] = data.getValue(forKey: \.children)
        self.children = children.map(\.persistentModelID)
    }

    private init(_ id: PersistentIdentifier, _ other: NoteSnapshot) {
        persistentIdentifier = id
        (title, rank, parent, children) = (other.title, other.rank, other.parent, other.children)
    }

    func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> NoteSnapshot {
        var copy = NoteSnapshot(persistentIdentifier, self)
        copy.parent = parent.map { remappedIdentifiers?[$0] ?? $0 }
        copy.children = children.map { remappedIdentifiers?[$0] ?? $0 }
        return copy
    }
}

struct LedgerToken: HistoryToken {
    let tokenValue: Int?
    var id: Int { tokenValue ?? 0 }
    static func < (lhs: Self, rhs: Self) -> Bool { lhs.id < rhs.id }
}

struct LedgerInsert: HistoryInsert {
    typealias Model = Note
    let changeIdentifier: Int
    let transactionIdentifier: Int
    let changedPersistentIdentifier: PersistentIdentifier
}

struct LedgerTransaction: HistoryTransaction {
    let token: LedgerToken
    let timestamp: Date
    let changes: [HistoryChange]
    let storeIdentifier: String
    let author: String?
    var transactionIdentifier: Int { token.id }
    var id: Int { token.id }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.token == rhs.token }
    func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

/// What a ledger has, and what it was asked.
final class LedgerBook: Sendable {
    struct Content {
        var rows: [PersistentIdentifier: NoteSnapshot] = [:]
        var transactions: [LedgerTransaction] = []
        var nextKey = 1
        var batches = 0
        var deleted = 0
        var includedSubclasses: [Bool] = []
        var log: [String] = []
    }

    let content = Mutex(Content())
}

struct LedgerConfiguration: DataStoreConfiguration {
    typealias Store = LedgerStore
    var name = "ledger"
    var schema: Schema?
    let book = LedgerBook()

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.book === rhs.book }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(book)) }
}

/// A store with a snapshot of its own. It finds notes by their titles, counts, deletes many at once, has a history.
final class LedgerStore: DataStore, DataStoreBatching, HistoryProviding {
    typealias Configuration = LedgerConfiguration
    typealias Snapshot = NoteSnapshot
    typealias HistoryType = LedgerTransaction

    static var historyType: LedgerTransaction.Type { LedgerTransaction.self }

    let configuration: LedgerConfiguration
    let schema: Schema
    let identifier = "LEDGER"

    init(_ configuration: LedgerConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema ?? Schema()
    }

    private func change<R: Sendable>(_ body: (inout LedgerBook.Content) throws -> sending R) rethrows -> R {
        try configuration.book.content.withLock { try body(&$0) }
    }

    /// The title that a predicate asks for: `$0.title == "…"`.
    private func title(in predicate: Predicate<Note>) -> String? {
        typealias Path = PredicateExpressions.KeyPath<PredicateExpressions.Variable<Note>, String>
        typealias Equal = PredicateExpressions.Equal<Path, PredicateExpressions.Value<String>>
        guard let equal = predicate.expression as? Equal, equal.lhs.keyPath == \Note.title else { return nil }
        return equal.rhs.value
    }

    private func rows<T>(_ predicate: Predicate<T>?) throws -> [NoteSnapshot] {
        let rows = change { $0.rows.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier } }
        guard let predicate else { return rows }
        // By way of Any: the compiler takes the cast of a generic predicate for one that fails.
        guard let ofNotes = (predicate as Any) as? Predicate<Note>, let title = title(in: ofNotes) else {
            throw DataStoreError.preferInMemoryFilter
        }
        if title.isEmpty { throw DataStoreError.invalidPredicate }
        return rows.filter { $0.title == title }
    }

    func fetch<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, NoteSnapshot> {
        let found = try rows(request.descriptor.predicate)
        change { $0.log.append("fetch \(request.descriptor.predicate == nil ? "all" : "by title")") }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found)
    }

    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        let count = try rows(request.descriptor.predicate).count
        change { $0.log.append("count") }
        return count
    }

    func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
        let found = try rows(request.descriptor.predicate)
        change { $0.log.append("identifiers") }
        return found.map(\.persistentIdentifier)
    }

    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: NoteSnapshot] {
        change { content in
            content.log.append("cached")
            return content.rows.filter { persistentIdentifiers.contains($0.key) }
        }
    }

    func save(
        _ request: DataStoreSaveChangesRequest<NoteSnapshot>
    ) throws -> DataStoreSaveChangesResult<NoteSnapshot> {
        let identifier = identifier
        return try change { content in
            var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
            for snapshot in request.inserted {
                remapped[snapshot.persistentIdentifier] = try .identifier(
                    for: identifier, entityName: "Note", primaryKey: content.nextKey)
                content.nextKey += 1
            }
            var trimmed: [PersistentIdentifier: NoteSnapshot] = [:]
            for snapshot in request.inserted + request.updated {
                let id = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
                var row = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: remapped)
                row.title = row.title.trimmingCharacters(in: .whitespaces)
                if row.title != snapshot.title { trimmed[id] = row }
                content.rows[id] = row
            }
            for snapshot in request.deleted { content.rows[snapshot.persistentIdentifier] = nil }
            content.deleted += request.deleted.count
            let token = LedgerToken(tokenValue: content.transactions.count + 1)
            let changes = remapped.values.sorted().enumerated().map { index, id in
                HistoryChange.insert(
                    LedgerInsert(
                        changeIdentifier: index, transactionIdentifier: token.id, changedPersistentIdentifier: id))
            }
            content.transactions.append(
                LedgerTransaction(
                    token: token, timestamp: Date(timeIntervalSinceReferenceDate: 0), changes: changes,
                    storeIdentifier: identifier, author: request.editingState.author))
            return DataStoreSaveChangesResult(
                for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: trimmed, historyToken: token)
        }
    }

    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
        let (found, includeSubclasses) = (try rows(request.predicate), request.includeSubclasses)
        change { content in
            content.batches += 1
            content.includedSubclasses.append(includeSubclasses)
            for row in found { content.rows[row.persistentIdentifier] = nil }
        }
    }

    func fetchHistory(_ descriptor: HistoryDescriptor<LedgerTransaction>) throws -> [LedgerTransaction] {
        let all = change { $0.transactions }
        return try descriptor.predicate.map { predicate in try all.filter(predicate.evaluate) } ?? all
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<LedgerTransaction>) throws {
        let chosen = Set(try fetchHistory(descriptor))
        change { $0.transactions.removeAll(where: chosen.contains) }
    }
}
