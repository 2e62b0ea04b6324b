import Foundation
@testable import SwiftData

/// Plates, saves that fail, saves that a context makes by itself, and what is read without unsaved changes.
extension ContextProgram {
    func plate(numbered number: Int) throws -> Plate? {
        try context.fetch(FetchDescriptor<Plate>(predicate: #Predicate { $0.number == number })).first
    }

    /// Makes, moves or deletes a plate, of which a rack has one at most.
    func plate(_ rack: Int?) throws {
        let (fromRack, known) = (chance(2), one(shown.plates.sorted()))
        switch (Int.random(in: 0..<4, using: &numbers), known) {
        case (0, let plate?):
            try event("delete plate \(plate)") {
                if let model = try self.plate(numbered: plate) { context.delete(model) }
            } _: { $0.remove(plate: plate) }
        case (1, let plate?):
            let rack = chance(3) ? nil : rack
            try event("plate \(plate) to \(rack ?? 0)") {
                let (model, owner) = (try self.plate(numbered: plate), try rack.flatMap { try self.rack($0) })
                if fromRack, let owner { owner.plate = model } else { model?.rack = owner }
            } _: { $0.give(plate: plate, to: rack) }
        case (2, _):
            guard let rack else { return }
            try event("no plate in \(rack)") { try self.rack(rack)?.plate = nil } _: { $0.give(plate: nil, to: rack) }
        default:
            let number = newNumber()
            try event("plate \(number) in \(rack ?? 0)") {
                let (model, owner) = (Plate(number), try rack.flatMap { try self.rack($0) })
                if fromRack, let owner { return owner.plate = model }
                model.rack = owner
                if owner == nil { context.insert(model) }
            } _: { plain in
                plain.plates.insert(number)
                plain.give(plate: number, to: rack)
            }
        }
    }

    /// Inserts a plate with a number that one has, which no save accepts; then it gets another number.
    func insertRefused() throws {
        guard let taken = one(shown.plates.intersection(saved.plates).sorted()) else { return }
        let number = newNumber()
        try event("plate \(number), refused as \(taken)") {
            let plate = Plate(taken)
            context.insert(plate)
            if (try? context.save()) != nil { throw mismatch("two plates have the number \(taken)") }
            plate.number = number
        } _: { $0.plates.insert(number) }
    }

    /// Inserts a stamp with unique values of two saved ones, or gives a saved one those of another, which no save
    /// accepts; then it goes, or gets values of its own. What else is unsaved stays so.
    func collide() throws {
        let stamps = shown.stamps.keys.filter { saved.stamps[$0] != nil }.sorted().shuffled(using: &numbers)
        guard stamps.count > 1 else { return }
        let (number, value) = (newNumber(), value())
        note("stamp of \(stamps[0]) and \(stamps[1]), refused")
        if chance(2), let changed = try stamp(stamps[0]) {
            grouped { changed.mark = "\(stamps[1])" }
            try refuseSave()
            grouped { changed.mark = "\(stamps[0])" }
        } else {
            let stamp = Stamp(stamps[0], value, marked: stamps[1])
            grouped { context.insert(stamp) }
            try refuseSave()
            if chance(2) {
                grouped { context.delete(stamp) }
            } else {
                grouped { (stamp.number, stamp.mark) = (number, "\(number)") }
                expect { $0.stamps[number] = value }
            }
        }
        discardSteps()
        if chance(2) { try save() }
    }

    private func refuseSave() throws {
        do { try context.save() } catch SwiftDataError.modelValidationFailure { return }
        throw mismatch("two saved stamps became one")
    }

    /// Inserts a stamp with the mark of another one: its values go over to that one.
    func upsertByMark() throws {
        try save()
        guard let number = one(saved.stamps.keys.sorted()) else { return }
        let (stamp, value) = (Stamp(newNumber(), value(), marked: number), value())
        note("stamp with the mark of \(number)")
        grouped { context.insert(stamp) }
        try context.save()
        grouped {
            stamp.number = number
            stamp.set(value, isInPlace: false)
        }
        expect { $0.stamps[number] = value }
        try save()
    }

    /// Changes or deletes models while they are enumerated.
    func enumerate() throws {
        let (limit, value, isDeletion) = (value(), value(), chance(3))
        let meant = shown.stamps.filter { $0.value < limit }.keys
        try event("enumerate below \(limit), \(isDeletion ? "deletes" : "to \(value)")") {
            let stamps = FetchDescriptor<Stamp>(predicate: #Predicate { $0.value < limit })
            try context.enumerate(stamps, batchSize: 2, allowEscapingMutations: true) { stamp in
                if isDeletion { context.delete(stamp) } else { stamp.set(value, isInPlace: false) }
            }
        } _: { plain in
            for stamp in meant { if isDeletion { plain.remove(stamp: stamp) } else { plain.stamps[stamp] = value } }
        }
    }

    /// Edits a context that saves by itself when it is used after the delay.
    func saveByItself() throws {
        let time = ManualNow()
        let clock = context.autosave.clock
        context.autosave.clock = AutosaveClock(now: { time.now }, schedule: { _, _, _ in })
        context.autosaveEnabled = true
        for _ in 0..<3 { try edit() }
        let before = saved
        _ = try context.fetchCount(FetchDescriptor<Rack>())
        if saved != before { throw mismatch("a context saved before its time") }
        time.now += .seconds(2)
        _ = try context.fetchCount(FetchDescriptor<Rack>())
        context.autosaveEnabled = false
        context.autosave.clock = clock
        try checkSave("an autosave")
    }

    private final class ManualNow { var now = ContinuousClock.now }

    /// A fetch without unsaved changes finds what is saved.
    func checkSaved(_ when: String) throws {
        let limit = value()
        var stamps = FetchDescriptor<Stamp>(predicate: #Predicate { $0.value < limit })
        stamps.includePendingChanges = false
        let expected = saved.stamps.filter { $0.value < limit }
        let (found, count) = (try context.fetch(stamps), try context.fetchCount(stamps))
        let numbers = Set(found.map(\.number))
        guard count == expected.count, found.count == count, numbers == Set(expected.keys) else {
            let (saved, found) = (expected.keys.sorted(), numbers.sorted())
            throw mismatch("\(when): saved below \(limit) are \(saved), found \(found), counted \(count)")
        }
    }
}
