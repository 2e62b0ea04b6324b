internal import FirnLog
internal import FirnSQLite

/// The sum of the hashes of all values in tables, each with its table, column and key. No order changes it.
///
/// Other tables have the same sum by chance alone, since a process draws the secret of its hashes. It is no proof
/// against somebody who knows that secret.
struct TableSum: Equatable {
    private var sum: UInt64 = 0

    mutating func add(_ hash: UInt64) { sum &+= hash }
    mutating func subtract(_ hash: UInt64) { sum &-= hash }

    /// Begins the hashes of a column's values. Tables are numbered as in `TableLayout.dumpedModelTables`.
    static func hasher(_ table: Int, _ column: Int) -> StoredValueHasher {
        var hasher = StoredValueHasher()
        hasher.combine(UInt64(table << 16 | column))
        return hasher
    }
}

/// Adds change sets up to the sum of the tables that they make: a value that changes takes the old one's hash away.
///
/// Memory: four bytes for each key that was given out.
final class SumWriter: ChangeApplying {
    /// The records make tables whose sum does not follow from their values alone, or none.
    struct Unknown: Error {}

    let layout: TableLayout
    private var sum = TableSum()
    /// The number of the record that wrote each row last, by table.
    private var versions: [KeyedNumbers]
    /// The numbers of the columns of each slot, by entity.
    private let columns: [[[Int]]]

    init(_ layout: TableLayout) {
        self.layout = layout
        versions = layout.tables.map { _ in KeyedNumbers() }
        let numbers = layout.tables.map { table in
            Dictionary(uniqueKeysWithValues: table.columns.enumerated().map { ($1.name, $0 + 3) })
        }
        columns = layout.places.map { place in
            guard let place else { return [] }
            return place.slots.map { slot in
                [slot.column, slot.entityColumn].compactMap { $0.flatMap { numbers[place.table][$0] } }
            }
        }
    }

    func apply(_ group: ChangeGroup, at sequence: SequenceNumber, versions: [Int64]?) throws {
        guard group.operation != .refresh else { return }
        let place = layout.existingPlace(group.entity)
        let isThere = group.operation != .delete
        try self.versions[place.table].replace(
            group.primaryKeys, by: isThere ? versions : nil, or: isThere ? Int64(sequence.rawValue) : 0,
            wereThere: group.operation != .insert)
        if group.operation != .update {
            let entity = TableSum.hasher(place.table, 1)
            for key in group.primaryKeys {
                var hasher = entity
                hasher.combine(stored: key)
                hasher.combine(stored: Int64(group.entity.rawValue))
                if isThere { sum.add(hasher.value) } else { sum.subtract(hasher.value) }
            }
        }
        sum.add(try sum(of: group.new, in: group, place))
        sum.subtract(try sum(of: group.old, in: group, place))
    }

    private func sum(of values: [Column], in group: ChangeGroup, _ place: EntityPlace) throws -> UInt64 {
        if values.isEmpty { return 0 }
        let numbers = group.slots.flatMap { columns[Int(group.entity.rawValue)][Int($0)] }
        return try BoundColumn.withPointers(place.boundColumns(group.slots, values)) { pointers in
            zip(numbers, pointers).reduce(into: 0) { sum, part in
                sum &+= part.1.sum(group.primaryKeys, TableSum.hasher(place.table, part.0))
            }
        }
    }

    func apply(_ group: LinkGroup, at sequence: SequenceNumber) throws {
        let table = try layout.linkTable(of: group)
        guard let number = layout.links.firstIndex(of: table) else { throw Unknown() }
        let link = TableSum.hasher(layout.tables.count + number, 0)
        func hash(_ values: [Int64]) -> UInt64 { values.reduce(into: link) { $0.combine(stored: $1) }.value }
        for removed in group.removed { sum.subtract(hash(table.values(of: removed))) }
        for added in group.added { sum.add(hash(table.values(of: added))) }
    }

    /// The sum with the rows' versions.
    var total: TableSum {
        var total = sum
        for (table, versions) in versions.enumerated() {
            let column = TableSum.hasher(table, 2)
            versions.forEach { key, version in
                var hasher = column
                hasher.combine(stored: key)
                hasher.combine(stored: version)
                total.add(hasher.value)
            }
        }
        return total
    }
}

/// Numbers other than zero by keys, in pages: keys are given out one after another.
private struct KeyedNumbers {
    private static let pageSize = 4_096
    private var pages: [[UInt32]] = []
    private var useCount = 0

    /// Gives each key its number, or the one for all. Throws where a key had one against what is said, since tables
    /// refuse such records, and where keys lie so far apart that pages would be mostly empty.
    mutating func replace(_ keys: [Int64], by numbers: [Int64]?, or number: Int64, wereThere: Bool) throws {
        for (row, key) in keys.enumerated() {
            let old = try replace(key, by: numbers?[row] ?? number)
            guard (old != 0) == wereThere else { throw SumWriter.Unknown() }
        }
    }

    private mutating func replace(_ key: Int64, by number: Int64) throws -> UInt32 {
        useCount += 1
        guard let key = Int(exactly: key), key >= 0, let number = UInt32(exactly: number) else {
            throw SumWriter.Unknown()
        }
        let (page, place) = key.quotientAndRemainder(dividingBy: Self.pageSize)
        if page >= pages.count {
            guard page < 1_024 + useCount / 512 else { throw SumWriter.Unknown() }
            pages.append(contentsOf: repeatElement([], count: page + 1 - pages.count))
        }
        if pages[page].isEmpty { pages[page] = [UInt32](repeating: 0, count: Self.pageSize) }
        defer { pages[page][place] = number }
        return pages[page][place]
    }

    func forEach(_ body: (_ key: Int64, _ number: Int64) -> Void) {
        for (page, numbers) in pages.enumerated() {
            for (place, number) in numbers.enumerated() where number != 0 {
                body(Int64(page * Self.pageSize + place), Int64(number))
            }
        }
    }
}
