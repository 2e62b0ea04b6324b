package import FirnFoundation
package import Foundation

/// The results of a controller, in sections, with the place of each.
///
/// A change is applied as a whole; what it did comes back as a `ResultsChange`. With n results and k changed ones
/// that costs O(k log n), and O(s) for s sections where sections come or go.
package struct ResultsList {
    package let order: ResultsOrder
    package private(set) var sections: [ListSection] = []
    private var entries: [ObjectIdentifier: ResultsEntry] = [:]
    private var sectionsByName: [String: ListSection] = [:]
    /// Whether results are divided by a section name; else all are in one section that is always there.
    package let isSectioned: Bool
    private weak var owner: (any ResultsSectionOwner)?

    package init(order: ResultsOrder, isSectioned: Bool, owner: (any ResultsSectionOwner)?) {
        self.order = order
        self.isSectioned = isSectioned
        self.owner = owner
        if !isSectioned { _ = appendSection(named: "") }
    }

    package var count: Int { sections.reduce(0) { $0 + $1.entries.count } }

    package func entry(of result: AnyObject) -> ResultsEntry? { entries[ObjectIdentifier(result)] }

    package func entry(at indexPath: IndexPath) -> ResultsEntry {
        guard indexPath.count == 2 && sections.indices.contains(indexPath.section)
            && (0..<sections[indexPath.section].numberOfObjects).contains(indexPath.item) else {
            fatalError(
                "no object at index path \(indexPath): there are \(sections.count) sections with "
                + "\(sections.map(\.numberOfObjects)) objects")
        }
        return sections[indexPath.section].entries[indexPath.item]
    }

    package func forEach(_ body: (ResultsEntry) -> Void) {
        for section in sections { section.entries.forEach(body) }
    }

    package func indexPath(of entry: ResultsEntry) -> IndexPath {
        IndexPath(item: item(of: entry), section: entry.section.index)
    }

    /// The entry's place in its section.
    private func item(of entry: ResultsEntry) -> Int {
        let section = entry.section
        let found = section.entries.partitionPoint { order.precedes($0, entry) }
        if found < section.entries.count, section.entries[found] === entry { return found }
        // A comparator that contradicts itself, so that no search finds its way.
        for index in 0..<section.entries.count where section.entries[index] === entry { return index }
        fatalError("a results list has lost \(entry.result)")
    }

    private mutating func appendSection(named name: String) -> ListSection {
        let section = ListSection(name: name, index: sections.count, owner: owner)
        sections.append(section)
        sectionsByName[name] = section
        return section
    }

    /// Takes a result that comes after all others. False if its section's name was there before, but not last.
    package mutating func append(
        _ result: AnyObject, _ values: SortValues, _ rank: ResultsRank, sectionName: String
    ) -> Bool {
        let section: ListSection
        if let last = sections.last, !isSectioned || last.name == sectionName {
            section = last
        } else if sectionsByName[sectionName] == nil {
            section = appendSection(named: sectionName)
        } else {
            return false
        }
        let entry = ResultsEntry(result, values, rank, section)
        section.entries.append(entry)
        entries[ObjectIdentifier(result)] = entry
        return true
    }

    /// Results that go, come, or are different; what they are now was read before.
    package struct Event {
        package struct Arrival {
            package let result: AnyObject
            package let values: SortValues
            package let rank: ResultsRank
            package let sectionName: String

            package init(result: AnyObject, values: SortValues, rank: ResultsRank, sectionName: String) {
                self.result = result
                self.values = values
                self.rank = rank
                self.sectionName = sectionName
            }
        }

        package var departures: [ResultsEntry] = []
        package var arrivals: [Arrival] = []
        package var updates: [(entry: ResultsEntry, now: Arrival)] = []

        package init() {}

        package var isEmpty: Bool { departures.isEmpty && arrivals.isEmpty && updates.isEmpty }
    }

    package mutating func apply(_ event: Event) -> ResultsChange {
        var step = ResultsStep(sections: sections)
        for entry in event.departures { step.departures.append(.init(entry, indexPath(of: entry))) }
        for (entry, now) in event.updates {
            let place = ResultsStep.EntryPlace(entry, indexPath(of: entry))
            if isSettled(entry, now) { step.updates.append(place) } else { step.lifted.append(place) }
        }
        remove(step.departures + step.lifted)
        for place in step.departures { entries[ObjectIdentifier(place.entry.result)] = nil }
        let removed = dropEmptySections()
        step.emptied = Set(removed.values.map(\.identity))
        for (entry, now) in event.updates where !isSettled(entry, now) {
            entry.values = now.values
            entry.rank = now.rank
            insert(entry, now.sectionName, removed)
        }
        for arrival in event.arrivals {
            let entry = ResultsEntry(
                arrival.result, arrival.values, arrival.rank, ResultsStep.nowhere)
            entries[ObjectIdentifier(arrival.result)] = entry
            step.arrivals.append(entry)
            insert(entry, arrival.sectionName, removed)
        }
        for (index, section) in sections.enumerated() { section.index = index }
        return step.change(sections, indexPath(of:))
    }

    /// Gives an entry another rank if it stays in order with its neighbours; says whether it does. O(log n).
    package func rerank(_ entry: ResultsEntry, _ rank: ResultsRank) -> Bool {
        let item = item(of: entry)
        let neighbours = entry.section.entries
        let now = (entry.values, rank)
        func pair(_ other: ResultsEntry) -> (SortValues, ResultsRank) { (other.values, other.rank) }
        if item > 0, !order.precedes(pair(neighbours[item - 1]), now) { return false }
        if item + 1 < neighbours.count, !order.precedes(now, pair(neighbours[item + 1])) { return false }
        entry.rank = rank
        return true
    }

    /// The list as it is, with sections of its own. O(n).
    package func copy() -> ResultsList {
        var copy = ResultsList(order: order, isSectioned: true, owner: owner)
        for section in sections {
            let own = copy.appendSection(named: section.name)
            section.entries.forEach { entry in
                let twin = ResultsEntry(entry.result, entry.values, entry.rank, own)
                own.entries.append(twin)
                copy.entries[ObjectIdentifier(entry.result)] = twin
            }
        }
        return copy
    }

    /// Whether an entry may stay where it is.
    package func isSettled(_ entry: ResultsEntry, _ now: Event.Arrival) -> Bool {
        order.descriptors.compare(entry.values, now.values) == .orderedSame && entry.rank == now.rank
            && (!isSectioned || entry.section.name == now.sectionName)
    }

    /// From the last place to the first, so that places stay true.
    private func remove(_ places: [ResultsStep.EntryPlace]) {
        for place in places.sorted(by: { $0.indexPath > $1.indexPath }) {
            place.entry.section.entries.remove(at: place.indexPath.item)
        }
    }

    private mutating func dropEmptySections() -> [String: ListSection] {
        guard isSectioned, sections.contains(where: \.entries.isEmpty) else { return [:] }
        var removed: [String: ListSection] = [:]
        for section in sections where section.entries.isEmpty {
            removed[section.name] = section
            sectionsByName[section.name] = nil
        }
        sections.removeAll(where: \.entries.isEmpty)
        return removed
    }

    private mutating func insert(
        _ entry: ResultsEntry, _ name: String, _ removed: [String: ListSection]
    ) {
        let section: ListSection
        if !isSectioned {
            section = sections[0]
        } else if let known = sectionsByName[name] {
            section = known
        } else {
            section = removed[name] ?? ListSection(name: name, index: -1, owner: owner)
            let place = sections.firstIndex { section in
                section.entries.first.map { order.precedes(entry, $0) } ?? false
            }
            sections.insert(section, at: place ?? sections.count)
            sectionsByName[name] = section
        }
        entry.section = section
        section.entries.insert(
            entry, at: section.entries.partitionPoint { order.precedes($0, entry) })
    }
}
