internal import FirnLog
internal import FirnSQLite

/// Writes a projection's tables: applies records in order on one connection, inside a transaction that its owner opens
/// and closes.
///
///     load ──► apply n+1 ──► apply n+2 … ──► store ──► (owner commits)
///
/// Checkpoint and keys are written by `store`, so that they are in the same transaction as the rows.
final class TableWriter {
    let connection: Connection
    private let layout: TableLayout
    private let applier: any ChangeApplying
    /// The records of models whose change sets can be applied: the models differ only in their documents.
    private var knownModels: Set<SequenceNumber>
    private(set) var checkpoint = SequenceNumber.zero
    /// The record whose baseline was applied, if one was.
    private var baseline = SequenceNumber.zero
    /// The last key that was assigned in each root entity, according to the records.
    private var keys: [EntityNumber: Int64] = [:]
    private var changedKeys: Set<EntityNumber> = []
    /// How many pages the connection had written when the transaction began.
    private var pagesAtBegin = 0
    /// In pages. A transaction stays in the write-ahead log as a whole, so that many records are applied in several.
    private let transactionPagesMax = 4_000

    init(
        _ connection: Connection, layout: TableLayout, applier: any ChangeApplying,
        modelSequence: SequenceNumber
    ) {
        self.connection = connection
        self.layout = layout
        self.applier = applier
        knownModels = [modelSequence]
    }

    /// Reads checkpoint and keys. Called in a new transaction: another process may have written since the last.
    func load() throws {
        pagesAtBegin = connection.writtenPageCount
        let checkpoint = try connection.integer("SELECT checkpoint FROM firn_store") ?? 0
        self.checkpoint = SequenceNumber(stored: checkpoint)
        keys.removeAll(keepingCapacity: true)
        changedKeys.removeAll(keepingCapacity: true)
        try connection.withStatement("SELECT root, last FROM firn_keys") { statement in
            while try statement.step() {
                keys[EntityNumber(stored: statement.integer(0))] = statement.integer(1)
            }
        }
        try applier.load()
    }

    /// `mark` is the log's position at the checkpoint, if the caller knows it.
    func store(_ mark: LogMark? = nil) throws {
        guard (mark.map { $0.head == checkpoint } ?? true) else {
            fatalError("a mark is that of the record applied last")
        }
        try applier.store()
        try connection.withStatement("UPDATE firn_store SET checkpoint = ?1, durable = ?2, link = ?3") { statement in
            try statement.bind(Int64(checkpoint.rawValue), at: 1)
            try statement.bind(Int64(mark?.durable.rawValue ?? 0), at: 2)
            if let mark {
                try withUnsafeBytes(of: mark.link) { try statement.bind(blob: $0, at: 3, lifetime: .copied) }
            }
            try statement.run()
        }
        for root in changedKeys.sorted() {
            try connection.withStatement(
                "INSERT INTO firn_keys(root, last) VALUES (?1, ?2) "
                    + "ON CONFLICT(root) DO UPDATE SET last = excluded.last"
            ) { statement in
                try statement.bind(Int64(root.rawValue), at: 1)
                try statement.bind(keys[root] ?? 0, at: 2)
                try statement.run()
            }
        }
        changedKeys.removeAll(keepingCapacity: true)
    }

    /// Whether a transaction should end here, and another one begin.
    var isTransactionLarge: Bool { connection.writtenPageCount - pagesAtBegin >= transactionPagesMax }

    private func record(_ last: [EntityNumber: Int64]) {
        for (entity, key) in last {
            if let place = layout.place(entity) { record(key, root: place.root) }
        }
    }

    private func record(_ key: Int64, root: EntityNumber) {
        if key > keys[root] ?? 0 { keys[root] = key }
        changedKeys.insert(root)
    }

    func apply(_ record: LogRecord) throws {
        try applier.describe(record)
        switch record.body {
        case .model(let model):
            remember(model, at: record.sequence)
            guard knownModels.contains(record.sequence) else {
                throw ProjectionError(
                    .migrated,
                    "record \(record.sequence) migrates the store to another model; open it again with that "
                        + "model", path: connection.path)
            }
            try advance(to: record.sequence)
        case .changes(let changes):
            try apply(changes, at: record.sequence)
        case .reservation(let last):
            try advance(to: record.sequence)
            self.record(last)
        case .erasure: try advance(to: record.sequence)
        case .baseline(let part):
            try apply(part, of: record.sequence)
        }
    }

    /// A baseline is applied to empty tables. Its parts replace all records up to `sequence`.
    private func apply(_ part: BaselinePart, of sequence: SequenceNumber) throws {
        guard checkpoint == .zero || checkpoint == sequence, baseline == sequence || checkpoint == .zero else {
            throw ProjectionError(
                .gap,
                "the baseline of record \(sequence) was given, but \(checkpoint) is applied; rebuild the projection",
                path: connection.path)
        }
        checkpoint = sequence
        baseline = sequence
        switch part {
        case .model(let number, let model): remember(model, at: number)
        case .keys(let last): record(last)
        case .rows(let changes, let versions): try write(changes, at: sequence, versions)
        }
    }

    /// Notes a record from before the first one that is applied.
    func describe(_ record: LogRecord) throws { try applier.describe(record) }

    var lastKeys: [EntityNumber: Int64] { keys }

    /// Advances past a record that changes no row.
    func skip(_ sequence: SequenceNumber) throws { try advance(to: sequence) }

    /// Registers `model`, which the record at `sequence` carries: later change sets may use its terms. A model with
    /// other entities is ignored.
    func remember(_ model: LogModel, at sequence: SequenceNumber) {
        if model.entities == layout.model.entities { knownModels.insert(sequence) }
    }

    func apply(_ changes: ChangeSet, at sequence: SequenceNumber) throws {
        try advance(to: sequence)
        guard knownModels.contains(changes.model) else {
            throw ProjectionError(
                .unknownModel,
                "change set \(sequence) is in terms of the model of record \(changes.model), which "
                    + "was not read; rebuild the projection", path: connection.path)
        }
        try write(changes, at: sequence)
    }

    /// Applies the rows that a migration record carries.
    func applyMigrated(_ rows: ChangeSet) throws { try write(rows, at: checkpoint) }

    /// `versions` are those of a baseline's rows.
    private func write(_ changes: ChangeSet, at sequence: SequenceNumber, _ versions: [[Int64]]? = nil) throws {
        for (index, group) in changes.groups.enumerated() {
            try check(group.entity, group.slots, at: sequence)
            try applier.apply(group, at: sequence, versions: versions?[index])
            if group.operation == .insert, let last = group.primaryKeys.max() {
                record(last, root: layout.existingPlace(group.entity).root)
            }
        }
        for group in changes.links {
            try check(group.entity, [group.slot], at: sequence)
            try applier.apply(group, at: sequence)
        }
    }

    /// A record with valid checksums may still name entities or slots that its model lacks.
    private func check(_ entity: EntityNumber, _ slots: [UInt16], at sequence: SequenceNumber) throws {
        guard let place = layout.place(entity) else {
            throw ProjectionError(
                .inconsistent, "change set \(sequence) is about entity \(entity.rawValue), which its model lacks",
                path: connection.path)
        }
        if let slot = slots.first(where: { Int($0) >= place.slots.count }) {
            throw ProjectionError(
                .inconsistent, "change set \(sequence) sets slot \(slot) of \(place.name), which its model lacks",
                path: connection.path)
        }
    }

    private func advance(to sequence: SequenceNumber) throws {
        guard sequence == checkpoint.next else {
            throw ProjectionError(
                .gap,
                "record \(sequence) was given, but \(checkpoint.next) comes next; apply every record in "
                    + "order", path: connection.path)
        }
        checkpoint = sequence
    }
}

/// Writes change sets into tables: the current rows, or every version of every row.
protocol ChangeApplying: AnyObject {
    /// `versions` are those of the rows of a baseline; else every row's is `sequence`.
    func apply(_ group: ChangeGroup, at sequence: SequenceNumber, versions: [Int64]?) throws
    func apply(_ group: LinkGroup, at sequence: SequenceNumber) throws

    /// Notes who wrote a record, before it is applied.
    func describe(_ record: LogRecord) throws

    /// Reads the writer's own state. Called in a new transaction, since another process may have written.
    func load() throws

    /// Writes the writer's own state, before the transaction's end.
    func store() throws
}

extension ChangeApplying {
    func describe(_ record: LogRecord) throws {}
    func load() throws {}
    func store() throws {}
}

/// The key of a prepared statement for groups.
struct GroupShape: Hashable {
    var entity: EntityNumber
    var operation: ChangeGroup.Operation
    var slots: [UInt16]
    /// Whether one run of the statement writes all rows of a group.
    var isMultiRow = false
}

/// The statements that apply groups, one for each shape, prepared when it is first met.
struct GroupStatements {
    private static let countMax = 500

    private let connection: Connection
    private var statements: [GroupShape: Statement] = [:]

    init(_ connection: Connection) { self.connection = connection }

    mutating func statement(for group: ChangeGroup, _ sql: () throws -> String) throws -> Statement {
        try statement(for: GroupShape(entity: group.entity, operation: group.operation, slots: group.slots), sql)
    }

    mutating func statement(for shape: GroupShape, _ sql: () throws -> String) throws -> Statement {
        if let statement = statements[shape] { return statement }
        if statements.count >= Self.countMax { statements.removeAll() }
        let statement = try connection.prepare(sql())
        statements[shape] = statement
        return statement
    }
}
