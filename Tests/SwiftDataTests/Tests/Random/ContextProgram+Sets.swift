import Foundation
import SwiftData

/// Deletions of sets, histories, and saves that meet those of another context.
extension ContextProgram {
    /// Deletes the tomes below a value, with unsaved changes or without; of one class or of both.
    func deleteSet() throws {
        if chance(2) { try save() }
        let (limit, kind) = (Int.random(in: 0..<20, using: &numbers), Int.random(in: 0..<4, using: &numbers))
        let atlases = shown.atlases
        let meant = shown.tomes.filter { tome in
            tome.value < limit && (kind == 3 || (kind == 2) == atlases.contains(tome.key) || kind == 0)
        }.keys
        try event("delete \(["all", "plain tomes", "atlases", "every tome"][kind]) below \(limit)") {
            switch kind {
            case 1:
                try context.delete(
                    model: Tome.self, where: #Predicate { $0.value < limit }, includeSubclasses: false)
            case 2: try context.delete(model: Atlas.self, where: #Predicate { $0.value < limit })
            default: try context.delete(model: Tome.self, where: #Predicate { $0.value < limit })
            }
        } _: { plain in
            for tome in meant { plain.remove(tome: tome) }
        }
        // It is not among them.
        if chance(2) { try insert() }
        if chance(2) { try save() }
    }

    /// Inserts a stamp with a number that another one has: its values go over to that one.
    func upsert() throws {
        try save()
        guard let number = one(saved.stamps.keys.sorted()) else { return }
        let value = value()
        note("stamp \(number) again")
        grouped { context.insert(Stamp(number, value)) }
        expect { $0.stamps[number] = value }
        try save()
    }

    /// Inserts a stamp, of whose number another context saves one meanwhile: its values go over to that one.
    func race() throws {
        try save()
        let (number, value, other) = (newNumber(), value(), ModelContext(container))
        let racks = shown.racks.keys.sorted().filter { _ in chance(3) }
        note("stamp \(number) of \(racks), and of another context")
        try grouped {
            let stamp = Stamp(number, value)
            context.insert(stamp)
            stamp.racks = try racks.compactMap(rack)
        }
        other.insert(Stamp(number, 1))
        try other.save()
        expect {
            $0.stamps[number] = value
            for rack in racks { $0.pairs.insert(.init(rack: rack, stamp: number)) }
        }
        try save()
    }

    /// Deletes the history up to the last save.
    func deleteHistory() throws {
        try save()
        note("delete history")
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        guard try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty else {
            throw mismatch("a deleted history has transactions")
        }
        historyToken = nil
    }

    /// The transactions since the last save say what was inserted and deleted, and of what changed, that it did.
    func checkHistory(from before: PlainLibrary, to after: PlainLibrary) throws {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        if let token = historyToken { descriptor.predicate = #Predicate { $0.token > token } }
        let transactions = try context.fetchHistory(descriptor)
        if let last = transactions.last { historyToken = last.token }
        var (inserted, updated): (Set<PersistentIdentifier>, Set<PersistentIdentifier>) = ([], [])
        var deleted: Set<PersistentIdentifier> = []
        for change in transactions.flatMap(\.changes) {
            let id = change.changedPersistentIdentifier
            switch change {
            case .insert: inserted.insert(id)
            case .update: updated.insert(id)
            case .delete: if inserted.remove(id) == nil { deleted.insert(id) }
            @unknown default: break
            }
        }
        let reader = ModelContext(container)
        var numbers: [PersistentIdentifier: Int] = [:]
        for rack in try reader.fetch(FetchDescriptor<Rack>()) { numbers[rack.persistentModelID] = rack.number }
        for tome in try reader.fetch(FetchDescriptor<Tome>()) { numbers[tome.persistentModelID] = tome.number }
        for clasp in try reader.fetch(FetchDescriptor<Clasp>()) { numbers[clasp.persistentModelID] = clasp.number }
        for plate in try reader.fetch(FetchDescriptor<Plate>()) { numbers[plate.persistentModelID] = plate.number }
        for tome in try context.fetch(FetchDescriptor<Tome>()) where numbers[tome.persistentModelID] != tome.number {
            throw mismatch("tome \(tome.number) has another identifier in another context")
        }
        for stamp in try reader.fetch(FetchDescriptor<Stamp>()) { numbers[stamp.persistentModelID] = stamp.number }
        let (old, new) = (before.numbers, after.numbers)
        // A deletion that was undone after its save is an insertion of another identifier.
        let added = Set(inserted.compactMap { numbers[$0] })
        guard new.subtracting(old).isSubset(of: added), old.subtracting(new).count <= deleted.count,
            added.count == inserted.count, deleted.isDisjoint(with: numbers.keys)
        else {
            throw mismatch("inserted \(added.sorted()), deleted \(deleted.count), from \(before) to \(after)")
        }
        let changed = after.values.changed(since: before.values).keys.filter(old.contains)
        guard Set(changed).isSubset(of: Set(updated.compactMap { numbers[$0] }).union(added)) else {
            throw mismatch("the history lacks a change: \(changed.sorted()) of \(updated.compactMap { numbers[$0] })")
        }
    }
}
