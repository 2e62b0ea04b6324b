import Foundation
import SwiftData

/// A random program of edits, saves, rollbacks, undo and redo in two contexts of a container, held after every step to
/// plain values. One context is edited at a time; the other may have unsaved values meanwhile.
final class ContextProgram {
    struct Mismatch: Error, CustomStringConvertible { let description: String }

    private let seed: UInt64
    var numbers: SeededNumbers
    private let url: URL
    private(set) var container: ModelContainer
    private var contexts: [ModelContext] = []
    private var active = 0
    private(set) var saved = PlainLibrary()
    private(set) var shown = PlainLibrary()
    /// The models shown before each step that can be undone, and after each that can be done again.
    private var (steps, undone): ([PlainLibrary], [PlainLibrary]) = ([], [])
    /// The values that each context has left unsaved.
    private var parked = [PlainLibrary.Values(), PlainLibrary.Values()]
    /// Models in hand, by number.
    private var held: [Int: any PersistentModel] = [:]
    private var lastNumber = 0
    /// How often the context saved or rolled back.
    private var settledCount = 0
    private var trace: [String] = []
    /// The last transaction that was checked.
    var historyToken: DefaultHistoryToken?

    var context: ModelContext { contexts[active] }

    init(seed: UInt64, in url: URL) throws {
        (self.seed, self.url) = (seed, url)
        numbers = SeededNumbers(seed: seed)
        container = try Self.container(url)
        contexts = [makeContext(), makeContext()]
    }

    private static func container(_ url: URL) throws -> ModelContainer {
        try ModelContainer(
            for: Rack.self, Atlas.self, Clasp.self, Stamp.self, configurations: ModelConfiguration(url: url))
    }

    private func makeContext() -> ModelContext {
        let context = ModelContext(container)
        context.autosaveEnabled = false
        if chance(2) {
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
        }
        return context
    }

    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &numbers) == 0 }
    func one<C: Collection>(_ values: C) -> C.Element? { values.randomElement(using: &numbers) }
    func value() -> Int { Int.random(in: 0..<100, using: &numbers) }

    func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func run(_ count: Int) throws {
        do {
            for step in 0..<count {
                trace.append("\(step)")
                let watch = try watch()
                try self.step()
                try watch?.check(self)
                try check("after the step")
            }
            try save()
            held = [:]
            contexts = []
            container = try Self.container(url)
            contexts = [makeContext(), makeContext()]
            try check("opened again")
        } catch let error where !(error is Mismatch) { throw mismatch("\(error)") }
    }

    func mismatch(_ text: String) -> Mismatch {
        Mismatch(description: "seed \(seed): \(text)\n  " + trace.joined(separator: "\n  "))
    }

    func note(_ text: String) { trace[trace.count - 1] += " context \(active): \(text)" }

    private func check(_ when: String) throws {
        let reading = Reading.allCases.randomElement(using: &numbers) ?? .fetch
        guard let seen = try PlainLibrary(context, reading) else {
            throw mismatch("\(when), \(reading): the sides of a relationship differ, or a model is there twice")
        }
        if seen != shown { throw mismatch("\(when), \(reading): expected\n\(shown)\nfound\n\(seen)") }
        if chance(4) { try checkSaved(when) }
        try checkIdentity(when)
    }

    /// A model in hand is the one that a fetch finds, and that its identifier leads to.
    private func checkIdentity(_ when: String) throws {
        let number = Int.random(in: 0...max(1, lastNumber), using: &numbers)
        let models: [(any PersistentModel)?] = [try rack(number), try tome(number), try stamp(number)]
        guard let found = models.compactMap(\.self).first else {
            held[number] = nil
            return
        }
        if let known = held[number], known !== found { throw mismatch("\(when): \(number) is another instance") }
        if context.model(for: found.persistentModelID) !== found {
            throw mismatch("\(when): the identifier of \(number) leads to another instance")
        }
        held[number] = chance(2) ? found : nil
    }

    private func step() throws {
        switch Int.random(in: 0..<39, using: &numbers) {
        case 0..<18: try edit()
        case 18..<21: try save()
        case 21: try rollback()
        case 22, 23: try undo(again: !undone.isEmpty && chance(2))
        case 24: try upsert()
        case 25, 32: try deleteSet()
        case 33: try race()
        case 34: try deleteHistory()
        case 26: try discard()
        case 27, 28: try transaction()
        case 35: try upsertByMark()
        case 36: try collide()
        case 37, 38: try saveByItself()
        default: try change()
        }
    }

    // MARK: Whole contexts

    func save() throws {
        note("save")
        if context.hasChanges { settledCount += 1 }
        try context.save()
        try checkHistory(from: saved, to: shown)
        saved = shown
        discardSteps()
        if context.hasChanges { throw mismatch("changes are left after a save") }
    }

    func rollback() throws {
        note("rollback")
        settledCount += 1
        context.rollback()
        shown = saved
        discardSteps()
    }

    /// The context saved by itself.
    func checkSave(_ text: String) throws {
        note(text)
        if shown != saved { settledCount += 1 }
        try checkHistory(from: saved, to: shown)
        saved = shown
        discardSteps()
        if context.hasChanges { throw mismatch("changes are left after \(text)") }
    }

    func discardSteps() {
        context.undoManager?.removeAllActions()
        (steps, undone) = ([], [])
    }

    private func undo(again: Bool = false) throws {
        guard let manager = context.undoManager, let state = again ? undone.popLast() : steps.popLast() else { return }
        note(again ? "redo" : "undo")
        if again { manager.redo() } else { manager.undo() }
        context.processPendingChanges()
        if again { steps.append(shown) } else { undone.append(shown) }
        shown = state
    }

    /// Edits that are saved together, or dropped where the block throws.
    private func transaction() throws {
        let (count, before) = (settledCount, (shown, steps, undone))
        let isKept = chance(2)
        note("transaction")
        do {
            try context.transaction {
                for _ in 0..<3 { try edit() }
                if !isKept { throw CancellationError() }
            }
            try checkHistory(from: saved, to: shown)
            saved = shown
            discardSteps()
        } catch is CancellationError {
            note("threw")
            if settledCount == count { return (shown, steps, undone) = before }
            shown = saved
            discardSteps()
        }
    }

    /// Continues in the other context, which shows what is saved under the values that it has not saved.
    private func change() throws {
        if shown != saved.with(unsavedValues) || chance(3) { if chance(3) { try rollback() } else { try save() } }
        if let rack = one(shown.racks.keys.sorted()), chance(2) { try setValue(rack: rack) }
        if let stamp = one(shown.stamps.keys.sorted()), chance(2) { try setValue(stamp: stamp) }
        parked[active] = unsavedValues
        discardSteps()
        active = 1 - active
        note("is active")
        // What the other one deleted is gone with its value.
        shown = saved.with(parked[active])
        held = [:]
    }

    private var unsavedValues: PlainLibrary.Values { shown.values.changed(since: saved.values) }

    private func discard() throws {
        note("discarded")
        (shown, steps, undone, held) = (saved, [], [], [:])
        contexts[active] = makeContext()
    }

    // MARK: Edits

    /// One edit that changes something, which is one step of the undo manager.
    func event(_ text: String, _ body: () throws -> Void, _ change: (inout PlainLibrary) -> Void) throws {
        var after = shown
        change(&after)
        if after == shown { return }
        note(text)
        try grouped(body)
        if context.undoManager != nil { steps.append(shown) }
        undone = []
        shown = after
    }

    /// Changes the values that are expected, and nothing else.
    func expect(_ change: (inout PlainLibrary) -> Void) { change(&shown) }

    func grouped(_ body: () throws -> Void) rethrows {
        context.undoManager?.beginUndoGrouping()
        defer { context.undoManager?.endUndoGrouping() }
        try body()
        context.processPendingChanges()
    }

    func rack(_ number: Int) throws -> Rack? {
        try context.fetch(FetchDescriptor<Rack>(predicate: #Predicate { $0.number == number })).first
    }

    func tome(_ number: Int) throws -> Tome? {
        try context.fetch(FetchDescriptor<Tome>(predicate: #Predicate { $0.number == number })).first
    }

    func stamp(_ number: Int) throws -> Stamp? {
        try context.fetch(FetchDescriptor<Stamp>(predicate: #Predicate { $0.number == number })).first
    }

    func edit() throws {
        let (rack, tome) = (one(shown.racks.keys.sorted()), one(shown.tomes.keys.sorted()))
        let stamp = one(shown.stamps.keys.sorted())
        switch (Int.random(in: 0..<26, using: &numbers), rack, tome, stamp) {
        case (0, _, _, _): try insert()
        case (1, let rack?, _, _): try setValue(rack: rack)
        case (2, _, let tome?, _): try setValue(tome: tome)
        case (3, _, _, let stamp?): try setValue(stamp: stamp)
        case (4, let rack, let tome?, _): try move(tome, to: chance(3) ? nil : rack)
        case (5, let rack?, _, _): try fill(rack)
        case (6, let rack?, let tome?, _): try show(chance(4) ? nil : tome, in: rack)
        case (7, let rack?, let tome?, _): try event("showing of \(tome) to \(rack)") {
                try self.tome(tome)?.showing = self.rack(rack)
            } _: { $0.show(tome, in: rack) }
        case (8, let rack?, _, let stamp?), (9, let rack?, _, let stamp?): try pair(rack, stamp)
        case (10, let rack?, _, _): try setStamps(rack)
        case (11, let rack?, _, _): try clasp(rack)
        case (12, let rack?, _, _) where chance(2): try delete(rack: rack)
        case (13, _, let tome?, _): try event("delete tome \(tome)") {
                if let model = try self.tome(tome) { context.delete(model) }
            } _: { $0.remove(tome: tome) }
        case (14, _, _, let stamp?): try event("delete stamp \(stamp)") {
                if let model = try self.stamp(stamp) { context.delete(model) }
            } _: { $0.remove(stamp: stamp) }
        case (15, let rack?, _, _), (16, let rack?, _, _): try changeInPlace(rack)
        case (17, let rack?, _, _) where chance(3): try crowd(rack)
        case (18, _, _, _), (19, _, _, _): try insertGraph()
        case (20, _, let tome?, _): try insertAgain(tome)
        case (21, let rack, _, _), (22, let rack, _, _): try plate(rack)
        case (23, _, _, _): try insertRefused()
        case (24, _, _, _): try enumerate()
        default: try insert()
        }
    }

    func insert() throws {
        let (number, value) = (newNumber(), value())
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: try event("rack \(number)") { context.insert(Rack(number, value)) } _: { $0.racks[number] = value }
        case 1:
            // A tome comes in by itself, or with the rack that it is given to.
            let (owner, isAtlas) = (chance(2) ? one(shown.racks.keys.sorted()) : nil, chance(3))
            try event("\(isAtlas ? "atlas" : "tome") \(number) in \(owner ?? 0)") {
                let tome = isAtlas ? Atlas(number, value) : Tome(number, value)
                if let owner { try rack(owner)?.tomes.append(tome) } else { context.insert(tome) }
            } _: {
                $0.tomes[number] = value
                if isAtlas { $0.atlases.insert(number) }
                $0.rackOfTome[number] = owner
            }
        default:
            let owners = shown.racks.keys.sorted().filter { _ in chance(3) }
            try event("stamp \(number) of \(owners)") {
                let stamp = Stamp(number, value)
                context.insert(stamp)
                stamp.racks = try owners.compactMap(rack)
            } _: {
                $0.stamps[number] = value
                $0.pairs.formUnion(owners.map { .init(rack: $0, stamp: number) })
            }
        }
    }

    private func setValue(rack: Int) throws {
        let value = value()
        try event("value of rack \(rack)") { try self.rack(rack)?.value = value } _: { $0.racks[rack] = value }
    }

    private func setValue(tome: Int) throws {
        let (value, isInPlace) = (value(), chance(2))
        try event("value of tome \(tome)") {
            try self.tome(tome)?.set(value, isInPlace: isInPlace)
        } _: { $0.tomes[tome] = value }
    }

    private func setValue(stamp: Int) throws {
        let (value, isInPlace) = (value(), chance(2))
        try event("value of stamp \(stamp)") {
            try self.stamp(stamp)?.set(value, isInPlace: isInPlace)
        } _: { $0.stamps[stamp] = value }
    }

    private func move(_ tome: Int, to rack: Int?) throws {
        try event("tome \(tome) to \(rack ?? 0)") {
            try self.tome(tome)?.rack = rack.flatMap { try self.rack($0) }
        } _: { $0.rackOfTome[tome] = rack }
    }

    private func fill(_ rack: Int) throws {
        let tomes = shown.tomes.keys.sorted().filter { _ in chance(3) }
        try event("tomes of \(rack) to \(tomes)") {
            try self.rack(rack)?.tomes = try tomes.compactMap(tome)
        } _: { plain in
            plain.rackOfTome = plain.rackOfTome.filter { $0.value != rack }
            for tome in tomes { plain.rackOfTome[tome] = rack }
        }
    }

    private func show(_ tome: Int?, in rack: Int) throws {
        try event("shown of \(rack) to \(tome ?? 0)") {
            try self.rack(rack)?.shown = tome.flatMap { try self.tome($0) }
        } _: { $0.show(tome, in: rack) }
    }

    /// Deletes a rack without clasps; or one with them, which no save accepts.
    private func delete(rack: Int) throws {
        if shown.rackOfClasp.values.contains(rack) {
            try save()
            guard saved.rackOfClasp.values.contains(rack), let model = try self.rack(rack) else { return }
            note("delete rack \(rack), denied")
            grouped { context.delete(model) }
            if (try? context.save()) != nil { throw mismatch("a deletion that a rule denies was saved") }
            guard let manager = context.undoManager, chance(2) else { return try rollback() }
            manager.undo()
            return discardSteps()
        }
        try event("delete rack \(rack)") {
            if let model = try self.rack(rack) { context.delete(model) }
        } _: { $0.remove(rack: rack) }
    }
}
