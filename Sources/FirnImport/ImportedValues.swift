import FirnLog
import FirnModel
import FirnProjection

/// The values that a timeline gives to objects, step by step.
struct ImportedValues {
    private let rows: AppleRowReader
    private let timeline: ImportTimeline
    /// To-ones that wait for their destination to come, by the step in which it comes.
    private var waiting: [Int: [(key: ObjectKey, slots: [Int])]] = [:]

    /// An update of some slots of an object.
    struct Update {
        var key: ObjectKey
        /// Ascending.
        var slots: [Int]
        /// Parallel to `slots`.
        var values: [PropertyValue]
    }

    init(rows: AppleRowReader, timeline: ImportTimeline) {
        self.rows = rows
        self.timeline = timeline
    }

    /// The row as it is at the end, by slot.
    private func final(_ key: ObjectKey) throws -> [PropertyValue] {
        if let values = try rows.values(of: key) { return values }
        let count = rows.layout.place(key.entity)?.columns.count ?? 0
        var values = [PropertyValue](repeating: .null, count: count)
        for (slot, value) in timeline.tombstones[key] ?? [:] { values[slot] = value }
        return values
    }

    /// The values of an object when it comes, by slot.
    mutating func inserted(_ key: ObjectKey, at step: Int) throws -> [PropertyValue] {
        var values = try final(key)
        let slots = rows.layout.place(key.entity)?.entity.layout.slots ?? []
        for slot in slots where !values[slot.index].isNull {
            if timeline.lastWritten(key, slot.index) > step { values[slot.index] = .null }
            guard case .reference(let destination) = values[slot.index] else { continue }
            let arrival = timeline.arrival(destination)
            guard arrival > step, case .toOne(let toOne) = slot.kind else { continue }
            var parts = [slot.index]
            if let position = toOne.positionSlot { parts.append(position) }
            for part in parts { values[part] = .null }
            waiting[arrival, default: []].append((key, parts))
        }
        return values
    }

    /// The updates of a step's transaction, and those that waited for objects which came in it.
    mutating func updates(at step: Int) throws -> [Update] {
        var order: [ObjectKey] = []
        var slots: [ObjectKey: Set<Int>] = [:]
        func add(_ key: ObjectKey, _ more: [Int]) {
            if slots[key] == nil { order.append(key) }
            slots[key, default: []].formUnion(more)
        }
        for (key, written) in timeline.steps[step].updated { add(key, written) }
        for (key, parts) in waiting.removeValue(forKey: step) ?? [] { add(key, parts) }
        return try order.map { key in
            let final = try final(key)
            let sorted = (slots[key] ?? []).sorted()
            return Update(
                key: key, slots: sorted,
                values: sorted.map { timeline.lastWritten(key, $0) > step ? .null : final[$0] })
        }
    }
}
