internal import FirnLog
internal import FirnSQLite

/// The writing half of a projection: applies records in order on one connection, inside a transaction that its
/// owner opens and closes.
///
///     load ──► apply n+1 ──► apply n+2 … ──► store ──► (owner commits)
///
/// Checkpoint and keys are written by `store`, so that they are in the same transaction as the rows.
final class WriteSession {
    let connection: Connection
    private let layout: TableLayout
    private let applier: any ChangeApplying
    /// The records of models in whose terms change sets can be applied: they differ in their documents alone.
    private var knownModels: Set<SequenceNumber>
    private(set) var checkpoint = SequenceNumber.zero
    /// The record whose baseline was applied, if one was.
    private var baseline = SequenceNumber.zero
    /// The last key given in each root entity, as the records tell.
    private var keys: [EntityNumber: Int64] = [:]
    private var changedKeys: Set<EntityNumber> = []
    /// Whether checkpoint and keys are what this session has committed last.
    private var isCommitted = false

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
    ///
    /// - Parameter head: the last record of the log, if the caller knows. Who has committed it has nothing to read.
    func load(head: SequenceNumber? = nil) throws {
        defer { isCommitted = false }
        if isCommitted, checkpoint == head { return }
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

    /// `mark` is where the log stands at the checkpoint, if the caller knows.
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

    /// To be called when the transaction that `store` was called in is committed.
    func committed() { isCommitted = true }

    private func record(_ key: Int64, root: EntityNumber) {
        if key > keys[root] ?? 0 { keys[root] = key }
        changedKeys.insert(root)
    }

    func apply(_ record: LogRecord) throws {
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
            for (entity, key) in last {
                guard let place = layout.place(entity) else { continue }
                self.record(key, root: place.root)
            }
        case .erasure: try advance(to: record.sequence)
        case .baseline(let part):
            try apply(part, of: record.sequence)
        }
    }

    /// A baseline comes first, into empty tables; its parts stand for all records up to `sequence`.
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
        case .keys(let last):
            for (entity, key) in last {
                guard let place = layout.place(entity) else { continue }
                self.record(key, root: place.root)
            }
        case .rows(let changes, let versions): try write(changes, at: sequence, versions)
        }
    }

    var lastKeys: [EntityNumber: Int64] { keys }

    /// Goes past a record that changes no row.
    func skip(_ sequence: SequenceNumber) throws { try advance(to: sequence) }

    /// Change sets may be in terms of `model`, which the record at `sequence` carries. One with other entities is
    /// of no use here.
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

    /// Applies a change set for the time of `body`. Rows, checkpoint and keys are then as before.
    func trying<R>(_ changes: ChangeSet, at sequence: SequenceNumber, _ body: () throws -> R) throws -> R {
        let (last, given, marked) = (checkpoint, keys, changedKeys)
        try connection.run("SAVEPOINT trial")
        let result = Result {
            try apply(changes, at: sequence)
            return try body()
        }
        (checkpoint, keys, changedKeys) = (last, given, marked)
        try connection.run("ROLLBACK TO trial")
        try connection.run("RELEASE trial")
        return try result.get()
    }

    /// Applies what a migration says the rows are, at the migration's own record.
    func applyMigrated(_ rows: ChangeSet) throws { try write(rows, at: checkpoint) }

    /// `versions` are those of a baseline's rows.
    private func write(_ changes: ChangeSet, at sequence: SequenceNumber, _ versions: [[Int64]]? = nil) throws {
        for (index, group) in changes.groups.enumerated() {
            try check(group.entity, group.slots, at: sequence)
            try applier.apply(group, at: sequence, versions: versions?[index])
            if group.operation == .insert, let last = group.primaryKeys.max() {
                record(last, root: layout.known(group.entity).root)
            }
        }
        for group in changes.links {
            try check(group.entity, [group.slot], at: sequence)
            try applier.apply(group, at: sequence)
        }
    }

    /// A record whose sums hold may still name what its model does not have.
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
