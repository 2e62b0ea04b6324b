import FirnLog
import FirnModel
import FirnProjection

/// The known states of a store at each moment of its history, worked out before anything is written.
///
/// Apple's history says which objects a transaction inserted, updated and deleted, and which properties it wrote, but
/// no values. What the values were follows from what they are now:
///
///     step          0          1         2         3          now
///     title         inserted             updated              "B"
///     pages         inserted                                  12
///     we say        title nil, pages 12  title "B"
///
/// A property has its value of today since the last update that wrote it, and before that one nobody knows: nil. A
/// deleted object has what its tombstone kept. Objects that were there before history begins come with step 0, which
/// is no transaction. Nothing that is said of the past is false, and at the last step everything is as in the store.
struct ImportTimeline {
    struct Step {
        /// Nil for what was there before history.
        var transaction: AppleTransaction?
        var inserted: [ObjectKey] = []
        /// Slots by object, in the order of the changes.
        var updated: [(key: ObjectKey, slots: [Int])] = []
        var deleted: [ObjectKey] = []
    }

    private(set) var steps: [Step]
    /// When objects came that were not there before history.
    private var arrivals: [ObjectKey: Int] = [:]
    /// When a slot was last written, of objects that were updated.
    private var lastWritten: [ObjectKey: [Int: Int]] = [:]
    private(set) var tombstones: [ObjectKey: [Int: PropertyValue]] = [:]
    private(set) var changeCount = 0
    private(set) var notes: [String] = []
    private let layout: AppleLayout
    private let stepOfTransaction: [Int64: Int]

    init(_ transactions: [AppleTransaction], _ layout: AppleLayout) {
        self.layout = layout
        steps = [Step()] + transactions.map { Step(transaction: $0) }
        stepOfTransaction = Dictionary(transactions.enumerated().map { ($1.number, $0 + 1) }) { first, _ in first }
    }

    mutating func addNote(_ text: String) { notes.append(text) }

    /// When an object came.
    func arrival(_ key: ObjectKey) -> Int { arrivals[key] ?? 0 }

    /// When a slot was last written; 0 if no update wrote it.
    func lastWritten(_ key: ObjectKey, _ slot: Int) -> Int { lastWritten[key]?[slot] ?? 0 }

    /// The net effect of a transaction on one object.
    private struct Life {
        var insertion: Int?
        var deletion: Int?
        var updates: [(step: Int, slots: [Int]?)] = []
        var tombstone: [Int: PropertyValue] = [:]

        /// A key that comes again is another object's, of which alone we tell.
        mutating func add(_ change: AppleChange, at step: Int) {
            switch change.kind {
            case .insert: self = Life(insertion: step)
            case .update: if deletion == nil { updates.append((step, change.slots)) }
            case .delete:
                deletion = step
                tombstone = change.tombstone
            }
        }
    }

    /// Sorts the changes, which are in order, by object and step.
    mutating func add(_ changes: [AppleChange], isThere: (ObjectKey) throws -> Bool) rethrows {
        var lives: [ObjectKey: Life] = [:]
        var order: [ObjectKey] = []
        for change in changes {
            guard let step = stepOfTransaction[change.transaction] else { continue }
            changeCount += 1
            if lives[change.key] == nil { order.append(change.key) }
            lives[change.key, default: Life()].add(change, at: step)
        }
        var lostCount = 0
        for key in order {
            guard var life = lives[key] else { continue }
            if try isThere(key) {
                life.deletion = nil
            } else if life.deletion == nil || life.deletion == life.insertion {
                lostCount += 1
                continue
            }
            add(key, life)
        }
        if lostCount > 0 {
            addNote("\(lostCount) objects in the history came and went without a trace; they are left out")
        }
    }

    private mutating func add(_ key: ObjectKey, _ life: Life) {
        if let insertion = life.insertion {
            arrivals[key] = insertion
            steps[insertion].inserted.append(key)
        } else if life.deletion != nil {
            steps[0].inserted.append(key)
        }
        for (step, slots) in life.updates where step > life.insertion ?? 0 && step != life.deletion {
            let written = slots ?? layout.place(key.entity)?.entity.layout.storedSlots ?? []
            for slot in written { lastWritten[key, default: [:]][slot] = step }
            if let last = steps[step].updated.last, last.key == key {
                let both = Set(last.slots).union(written).sorted()
                steps[step].updated[steps[step].updated.count - 1].slots = both
            } else {
                steps[step].updated.append((key, written))
            }
        }
        if let deletion = life.deletion {
            steps[deletion].deleted.append(key)
            tombstones[key] = life.tombstone
        }
    }

    /// Puts what no transaction inserted into step 0. To be called after `add`.
    mutating func begin(_ keys: (AppleEntityPlace) throws -> [Int64]) rethrows {
        for place in layout.places where !place.entity.isAbstract {
            let all = try keys(place).map { ObjectKey(entity: place.number, primaryKey: $0) }
            steps[0].inserted += all.filter { arrivals[$0] == nil }
        }
    }
}
