import Firn
import FirnInspection
import FirnLog
import FirnProjection
import FirnStore

/// The store that lines are read into: log and tables are written together, as a save does it.
final class ImportTarget {
    let log: SegmentLog
    private let path: String
    private let tables: StoreTables
    private let projection: Projection
    private let names: ModelNames
    /// By root entity, the last key that the store gave before.
    private let keyAllocator: [EntityNumber: Int64]

    /// Brings the tables up to date first.
    init(_ path: String, _ log: SegmentLog) throws {
        self.path = path
        self.log = log
        guard let tables = try StoreTables(path, log) else { throw Failure("\(path): the store has no model yet") }
        self.tables = tables
        names = ModelNames(tables.schema.logModel, log.externalValues)
        (projection, keyAllocator) = try log.exclusively {
            var (projection, state) = try tables.open(.file(path), isReadOnly: false)
            if state != .ready {
                _ = try tables.rebuild { _, _ in }
                (projection, state) = try tables.open(.file(path), isReadOnly: false)
            }
            try projection.begin()
            defer { projection.rollback() }
            return (projection, projection.lastKeys)
        }
    }

    /// Appends one change set made of lines, or throws for one that does not fit, and appends nothing.
    func write(_ lines: [NumberedLine]) throws {
        var builder = ChangeSetBuilder(tables.schema.logModel, at: tables.modelSequence)
        for line in lines {
            do throws(ChangeLine.Failure) { try builder.add(line.value) } catch {
                throw Failure("\(line.place): \(error.reason); what stands before was imported")
            }
        }
        let made = builder.finished()
        try log.exclusively {
            try projection.begin()
            do {
                try check(made, lines[0].place)
                var changes = made
                try changes.moveLargeValues(into: log) { tables.schema.entity($0)?.layout }
                do { try projection.apply(changes, at: log.head.next) } catch let error as ProjectionError {
                    guard error.isAboutTables else { throw error }
                    throw Failure(
                        "\(lines[0].place): the change set does not fit the store: \(error.message); what stands "
                            + "before was imported, this change set was not")
                }
                try log.append(.changes(changes), header: lines[0].value.header)
            } catch {
                projection.rollback()
                throw error
            }
            try projection.commit(log.mark)
        }
        projection.checkpointWAL()
    }

    /// Makes all durable.
    func finish() throws {
        try log.sync(through: log.head)
        try log.exclusively {
            try projection.begin()
            try projection.commit(log.mark)
        }
        projection.closeFile()
        try LogMaintenance(log).pack(waiting: true)
    }

    private func check(_ changes: ChangeSet, _ place: String) throws {
        for group in changes.groups {
            for (row, key) in group.primaryKeys.enumerated() {
                let key = ObjectKey(entity: group.entity, primaryKey: key)
                if let reason = try misfit(group, row, key) {
                    throw Failure(
                        "\(place): \(names.object(key)) \(reason); what stands before was imported, this change set "
                            + "was not")
                }
            }
        }
    }

    /// Why a change does not fit the store; nil if it does.
    private func misfit(_ group: ChangeGroup, _ row: Int, _ key: ObjectKey) throws -> String? {
        let found = try projection.transactionReader.row(key)
        guard group.operation != .insert else {
            if found != nil { return "is there already" }
            let root = tables.schema.layout.place(key.entity)?.root
            let given = root.flatMap { keyAllocator[$0] } ?? 0
            return key.primaryKey <= given ? "has a key that the store gave away before" : nil
        }
        guard let found, let layout = tables.schema.entity(key.entity)?.layout else { return "is not there" }
        let stored = Snapshot(batch: found.batch, row: found.row)
        for (index, slot) in group.slots.enumerated() {
            guard index < group.old.count, group.old[index].type != .none else { continue }
            let (present, told) = (stored.value(Int(slot)), group.old[index][row])
            if !Self.isSame(present, told), !stored.holds(told, layout.slots[Int(slot)]) {
                let property = names.property(slot, of: group.entity)
                func text(_ value: PropertyValue) -> String {
                    ValueText(value: value, property: property, names: names).short
                }
                return "has \(text(present)) as \(property?.name ?? ""), not \(text(told))"
            }
        }
        return nil
    }

    private static func isSame(_ present: PropertyValue, _ told: PropertyValue) -> Bool {
        switch (present, told) {
        case (.real(let a), .real(let b)): a == b || a.isNaN && b.isNaN
        case (.reference(let a), .reference(let b)): a.primaryKey == b.primaryKey
        default: false
        }
    }
}
