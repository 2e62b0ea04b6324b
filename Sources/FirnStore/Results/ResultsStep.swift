import FirnFoundation
import FirnRuntime
import Foundation

/// One change of a results list while it is being made: where things were, and from that what to report.
///
/// An entry that was lifted out and put back has moved only if it passed another one. Those that were never lifted
/// keep their order, so it is enough to look at how many of them come before it, and, among lifted ones in
/// the same gap between them, at the longest run that kept its order:
///
///     old  a [x] b [y] [z] c       x: 1 → 0 before it: moved
///     new  [x] a b [z] [y] c       y, z: 2 → 2, but they changed places: one of them has moved
struct ResultsStep {
    struct EntryPlace {
        let entry: ResultsEntry
        /// Before the change.
        let indexPath: IndexPath
        let section: ListSection

        init(_ entry: ResultsEntry, _ indexPath: IndexPath) {
            self.entry = entry
            self.indexPath = indexPath
            section = entry.section
        }
    }

    /// The section of an entry before it has one.
    static var nowhere: ListSection { shared.value }
    /// Of no owner, and never changed.
    private static let shared = Transferred(ListSection(name: "", index: -1, owner: nil))

    /// Before the change.
    private let sections: [ListSection]
    var departures: [EntryPlace] = []
    var lifted: [EntryPlace] = []
    /// Entries that stay where they are, relative to their neighbours.
    var updates: [EntryPlace] = []
    var arrivals: [ResultsEntry] = []
    /// Sections that had nothing left before entries were put in again.
    var emptied: Set<ObjectIdentifier> = []

    init(sections: [ListSection]) { self.sections = sections }

    /// The change to report, now that the list is `newSections`.
    func change(_ newSections: [ListSection], _ indexPath: (ResultsEntry) -> IndexPath) -> ResultsChange {
        var change = ResultsChange()
        let replaced = sectionChanges(newSections, &change)
        let inserted = arrivals.map { (entry: $0, new: indexPath($0)) }
        let back = lifted.map { (place: $0, new: indexPath($0.entry)) }
        let moved = moves(back, inserted.map(\.new), replaced)
        change.items += departures.sorted { $0.indexPath > $1.indexPath }.map {
            .init(entry: $0.entry, type: .delete, old: $0.indexPath, new: nil)
        }
        change.items += inserted.sorted { $0.new < $1.new }.map {
            .init(entry: $0.entry, type: .insert, old: nil, new: $0.new)
        }
        var updated: [ResultsChange.Item] = []
        var travelled: [ResultsChange.Item] = []
        for (index, (place, new)) in back.enumerated() {
            if moved.contains(index) {
                travelled.append(.init(entry: place.entry, type: .move, old: place.indexPath, new: new))
            } else {
                updated.append(.init(entry: place.entry, type: .update, old: place.indexPath, new: new))
            }
        }
        updated += updates.map {
            .init(entry: $0.entry, type: .update, old: $0.indexPath, new: indexPath($0.entry))
        }
        func byNew(_ a: ResultsChange.Item, _ b: ResultsChange.Item) -> Bool {
            (a.new ?? []) < (b.new ?? [])
        }
        change.items += travelled.sorted(by: byNew) + updated.sorted(by: byNew)
        return change
    }

    /// Notes which sections went and came. A section that became empty, was filled again and changed its place
    /// among the others did both; such sections are returned.
    private func sectionChanges(
        _ newSections: [ListSection], _ change: inout ResultsChange
    ) -> Set<ObjectIdentifier> {
        let isSame = sections.count == newSections.count && zip(sections, newSections).allSatisfy { $0 === $1 }
        if isSame { return [] }
        let oldIndex = Dictionary(
            sections.enumerated().map { ($1.identity, $0) }, uniquingKeysWith: { a, _ in a })
        let replaced = replacedSections(newSections)
        let alive = Set(newSections.map(\.identity))
        for (index, section) in sections.enumerated().reversed()
        where !alive.contains(section.identity) || replaced.contains(section.identity) {
            let removed = ListSection(name: section.name, index: index, owner: section.owner)
            change.deletedSections.append(.init(section: removed, index: index))
        }
        for (index, section) in newSections.enumerated()
        where oldIndex[section.identity] == nil || replaced.contains(section.identity) {
            change.insertedSections.append(.init(section: section, index: index))
        }
        return replaced
    }

    /// Emptied sections that were filled again at another place among those that were never empty, or among each
    /// other.
    private func replacedSections(_ newSections: [ListSection]) -> Set<ObjectIdentifier> {
        if emptied.isEmpty { return [] }
        let oldIdentities = Set(sections.map(\.identity))
        func gaps(_ list: [ListSection]) -> [(id: ObjectIdentifier, gap: Int)] {
            var gap = 0
            var result: [(ObjectIdentifier, Int)] = []
            for section in list {
                if emptied.contains(section.identity) {
                    result.append((section.identity, gap))
                } else if oldIdentities.contains(section.identity) {
                    gap += 1
                }
            }
            return result
        }
        let old = gaps(sections)
        let oldPlace = Dictionary(
            old.enumerated().map { ($1.id, (position: $0, gap: $1.gap)) }, uniquingKeysWith: { a, _ in a })
        var replaced: Set<ObjectIdentifier> = []
        var last = -1
        for (id, gap) in gaps(newSections) {
            guard let place = oldPlace[id], place.gap == gap, place.position > last else {
                replaced.insert(id)
                continue
            }
            last = place.position
        }
        return replaced
    }

    /// The indexes of the lifted entries that moved.
    private func moves(
        _ back: [(place: EntryPlace, new: IndexPath)], _ inserted: [IndexPath],
        _ replaced: Set<ObjectIdentifier>
    ) -> Set<Int> {
        let taken = (departures + lifted).map(\.indexPath).sorted()
        let put = (inserted + back.map(\.new)).sorted()
        var moved: Set<Int> = []
        /// Lifted entries by section and by how many resting ones are before them.
        var gaps: [[Int]: [Int]] = [:]
        for (index, (place, new)) in back.enumerated() {
            let old = place.indexPath
            let oldGap = old.item - Self.count(taken, in: old.section, before: old)
            let newGap = new.item - Self.count(put, in: new.section, before: new)
            if place.section !== place.entry.section || oldGap != newGap
                || replaced.contains(place.section.identity)
            {
                moved.insert(index)
            } else {
                gaps[[old.section, oldGap], default: []].append(index)
            }
        }
        for members in gaps.values where members.count > 1 {
            let ordered = members.sorted { back[$0].place.indexPath < back[$1].place.indexPath }
            let rise = Self.longestRise(ordered.map { back[$0].new.item })
            for (position, index) in ordered.enumerated() where !rise.contains(position) {
                moved.insert(index)
            }
        }
        return moved
    }

    /// How many of the sorted places are in `section` and before `place`.
    private static func count(_ places: [IndexPath], in section: Int, before place: IndexPath) -> Int {
        partition(places, [section, place.item]) - partition(places, [section, 0])
    }

    private static func partition(_ places: [IndexPath], _ place: IndexPath) -> Int {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The positions of a longest rising run within different numbers. O(m log m).
    static func longestRise(_ numbers: [Int]) -> Set<Int> {
        /// By length - 1: where the run of that length with the lowest end ends.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result: Set<Int> = []
        var current = ends.last
        while let index = current {
            result.insert(index)
            current = previous[index]
        }
        return result
    }
}

extension ListSection {
    var identity: ObjectIdentifier { ObjectIdentifier(self) }
}
