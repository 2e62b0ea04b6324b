import FirnLog
import FirnModel
import FirnProjection
import FirnStore
import Foundation
import Synchronization
import TestSupport

/// A store without contexts and objects, of notes that have a title.
final class PlainStore: Sendable {
    enum Outcome: Hashable {
        case committed, conflict, empty
        case failed(LogError.Code?)
    }

    let engine: StoreEngine
    private let note: EntityNumber

    /// - Parameters:
    ///   - path: of the tables; nil for a store in memory.
    ///   - files: what the log is on.
    ///   - memory: what the log of a store in memory is on.
    ///   - progress: called while tables are built.
    init(
        _ path: String?, on files: any FileSystem = PosixFileSystem(), memory: MemoryLogFiles = MemoryLogFiles(),
        isReadOnly: Bool = false, progress: (@Sendable (Double) -> Void)? = nil
    ) throws {
        let entity = NSEntityDescription()
        entity.name = "Note"
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        entity.properties = [title]
        entity.uniquenessConstraints = [["title"]]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        engine = try StoreOpening(
            place: path.map { .disk($0) } ?? .memory(memory), isReadOnly: isReadOnly,
            durability: .synced, model: model, entities: model.entities, progress: progress, diskFileSystem: files
        ).open()
        note = engine.schema.number(of: entity)
    }

    private func text(_ value: String) -> Column {
        var column = Column(.text)
        column.append(value)
        return column
    }

    private func prepare(_ group: (TransactionReader) throws -> ChangeGroup) throws -> PreparedTransaction {
        let reader = engine.transactionReader(remote: [])
        let changes = ChangeSet(model: engine.modelSequence, groups: [try group(reader)])
        let header = TransactionHeader(date: 0, id: .random())
        return try engine.prepare(Transaction(header, changes, basis: reader.basis))
    }

    /// A new note. With `isUnique` none may have its title.
    func insertion(_ title: String, isUnique: Bool = false) throws -> PreparedTransaction {
        try insertion([title], isUnique: isUnique)
    }

    /// New notes. With `isUnique` none may have their titles. The note `other` has to be there, in whatever version.
    func insertion(
        _ titles: [String], isUnique: Bool = false, requiring other: Int64? = nil
    ) throws -> PreparedTransaction {
        try prepare { reader in
            let constraints = engine.schema.entity(note)?.layout.uniquenessConstraints ?? []
            for constraint in constraints where isUnique {
                _ = try reader.owners(of: titles.compactMap { title in UniqueClaim(constraint) { _ in .text(title) } })
            }
            if let other { _ = try reader.exists(ObjectKey(entity: note, primaryKey: other)) }
            let keys = try reader.nextPrimaryKeys(root: note, count: titles.count)
            var column = Column(.text)
            for title in titles { column.append(title) }
            return ChangeGroup(
                entity: note, operation: .insert, primaryKeys: Array(keys), slots: [0], new: [column])
        }
    }

    /// Another title for the note with this key, as it is now.
    func update(_ key: Int64, _ title: String) throws -> PreparedTransaction {
        try prepare { reader in
            let old = try reader.snapshot(ObjectKey(entity: note, primaryKey: key))?.value(0) ?? .null
            var column = Column(.text)
            column.append(old)
            return ChangeGroup(
                entity: note, operation: .update, primaryKeys: [key], slots: [0], new: [text(title)], old: [column])
        }
    }

    /// The deletion of a note as it is now.
    func deletion(_ key: Int64) throws -> PreparedTransaction {
        try prepare { reader in
            let old = try reader.snapshot(ObjectKey(entity: note, primaryKey: key))?.value(0) ?? .null
            var column = Column(.text)
            column.append(old)
            return ChangeGroup(entity: note, operation: .delete, primaryKeys: [key], slots: [0], old: [column])
        }
    }

    /// Gives a key away that no note gets.
    func reserveKey() throws {
        _ = try engine.reserveKeys(TransactionHeader(date: 0, id: .random()), counts: [note: 1])
    }

    /// Appends a record for each title, from this key on, as a program does that ends before its tables get them.
    func append(_ titles: [String], from key: Int64) throws {
        let log = try SegmentLog.open(directory: engine.log.directory, forWriting: true)
        defer { log.close() }
        try append(titles, from: key, to: log)
    }

    func append(_ titles: [String], from key: Int64, to log: SegmentLog) throws {
        try log.exclusively {
            for (number, title) in titles.enumerated() {
                let group = ChangeGroup(
                    entity: note, operation: .insert, primaryKeys: [key + Int64(number)], slots: [0],
                    new: [text(title)])
                let changes = ChangeSet(model: engine.modelSequence, groups: [group])
                try log.append(.changes(changes), header: TransactionHeader(date: 0, id: .random()))
            }
        }
    }

    func commit(_ prepared: PreparedTransaction) -> Outcome {
        do {
            switch try engine.commit(prepared) {
            case .committed: return .committed
            case .conflict: return .conflict
            case .empty: return .empty
            }
        } catch {
            return .failed((error as? LogError)?.code)
        }
    }

    /// The titles by key, of the rows in the tables.
    func titles() throws -> [Int64: String] {
        var titles: [Int64: String] = [:]
        let keys = (1...100).map { ObjectKey(entity: note, primaryKey: $0) }
        try engine.read { try $0.rows(keys) }.forEach { _, batch, row in
            if case .text(let title) = batch.value(at: row, slot: 0) { titles[batch.primaryKeys[row]] = title }
        }
        return titles
    }

    /// The titles by key, as a saver sees them.
    func cachedTitles() throws -> [Int64: String] {
        var titles: [Int64: String] = [:]
        for key in 1...100 as ClosedRange<Int64> {
            if case .text(let title)? = try engine.snapshot(ObjectKey(entity: note, primaryKey: key))?.value(0) {
                titles[key] = title
            }
        }
        return titles
    }
}

/// Threads that commit transactions, each its own.
final class Savers: Sendable {
    private let group = DispatchGroup()
    private let found = Mutex<[Int: PlainStore.Outcome]>([:])

    /// Commits the first transaction, stops at its sync, and lets the others come meanwhile, in their order.
    ///
    /// - Parameter afterFirst: what the first one's thread does then.
    init(
        _ store: PlainStore, _ files: GatedFileSystem, _ transactions: [PreparedTransaction],
        afterFirst: @escaping @Sendable () -> Void = {}
    ) throws {
        files.syncs.close()
        start(store, 0, transactions[0], afterFirst)
        try files.syncs.waitForArrival()
        for (number, transaction) in transactions.enumerated().dropFirst() {
            start(store, number, transaction)
            try waitUntil { store.engine.waitingCommitCount >= number }
        }
    }

    private func start(
        _ store: PlainStore, _ number: Int, _ prepared: PreparedTransaction, _ end: @escaping @Sendable () -> Void = {}
    ) {
        group.enter()
        Thread.detachNewThread { [self] in
            let outcome = store.commit(prepared)
            found.withLock { $0[number] = outcome }
            end()
            group.leave()
        }
    }

    /// In the order of the transactions.
    func outcomes() throws -> [PlainStore.Outcome] {
        try group.waitForAll()
        return found.withLock { found in found.sorted { $0.key < $1.key }.map(\.value) }
    }
}

extension SegmentLog {
    /// All titles that were ever given.
    func titles() throws -> Set<String> {
        var titles: Set<String> = []
        let reader = try records(after: .zero)
        while let record = try reader.next() {
            guard case .changes(let changes) = record.body else { continue }
            for group in changes.groups {
                for case .text(let title) in group.new.map({ $0[0] }) { titles.insert(title) }
            }
        }
        return titles
    }
}
