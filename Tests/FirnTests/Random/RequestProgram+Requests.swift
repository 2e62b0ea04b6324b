import Firn
import FirnModel
import Foundation

import class FirnFoundation.NSSortDescriptor

extension RequestProgram {
    /// Makes a request and holds its answers to the rows.
    func ask() throws {
        let kind = pick(["Item", "Item", "Item", "Special", "Box", "Tag"])
        let format = chance(4) ? nil : predicate(of: kind)
        let request = NSFetchRequest<NSManagedObject>(entityName: kind)
        request.predicate = format.map { NSPredicate(format: $0).withSubstitutionVariables(PlainRow.variables) }
        request.sortDescriptors = descriptors(of: kind)
        if chance(3) { request.fetchLimit = pick([1, 2, 3, 100]) }
        if chance(4) { request.fetchOffset = pick([1, 2, 5]) }
        if chance(4) { request.fetchBatchSize = pick([1, 2, 3]) }
        if chance(3) { request.returnsObjectsAsFaults = false }
        if chance(4) { request.includesSubentities = false }
        if chance(5) { request.relationshipKeyPathsForPrefetching = kind == "Item" ? ["box", "tags"] : [] }
        if cast == .twoStores, chance(3) { request.affectedStores = [pick(coordinator.persistentStores)] }
        let words =
            "\(kind) where \(format ?? "-") by \(request.sortDescriptors ?? []) from \(request.fetchOffset) "
            + "at most \(request.fetchLimit), batches of \(request.fetchBatchSize), "
            + "subentities \(request.includesSubentities), stores \(request.affectedStores?.count ?? 0)"
        func fail(_ text: String) -> Mismatch { failure("\(words)\n\(text)") }

        let expected = matches(request)
        let objects = try context.fetch(request)
        let found = objects.map { $0.value(forKey: "number") as? Int ?? -1 }
        if let text = difference(found, expected, request) { throw fail("fetched \(text)") }
        try checkValues(objects, shown, fail)
        let count = try context.count(for: request)
        if count != bounds(expected.count, request).count { throw fail("counted \(count) of \(expected.count)") }

        let identities = NSFetchRequest<NSManagedObjectID>(entityName: kind)
        copy(request, to: identities)
        identities.resultType = .managedObjectIDResultType
        let numbers = try context.fetch(identities).map { id in
            context.object(with: id).value(forKey: "number") as? Int ?? -1
        }
        if let text = difference(numbers, expected, request) { throw fail("IDs of \(text)") }
        try askForDictionaries(request, context, stored, fail)
        try askThePast(request, fail)
        try askTheStore(request, fail)
    }

    /// Without unsaved changes the store decides what is found.
    private func askTheStore(_ request: NSFetchRequest<NSManagedObject>, _ fail: (String) -> Mismatch) throws {
        // Several stores' objects are sorted by what they hold.
        if cast == .child || cast == .twoStores && context.hasChanges { return }
        let plain = NSFetchRequest<NSManagedObject>(entityName: request.entityName ?? "")
        copy(request, to: plain)
        plain.includesPendingChanges = false
        let known = Dictionary(uniqueKeysWithValues: objects.map { (ObjectIdentifier($1), $0) })
        let numbers = try context.fetch(plain).map { object in
            known[ObjectIdentifier(object)] ?? object.value(forKey: "number") as? Int ?? -1
        }
        if let text = difference(numbers, matches(request, among: stored), request) { throw fail("stored \(text)") }
    }

    func copy<T>(_ request: NSFetchRequest<NSManagedObject>, to other: NSFetchRequest<T>) {
        other.predicate = request.predicate
        other.sortDescriptors = request.sortDescriptors
        (other.fetchLimit, other.fetchOffset) = (request.fetchLimit, request.fetchOffset)
        other.includesSubentities = request.includesSubentities
        other.affectedStores = request.affectedStores
    }

    // MARK: - Answers

    /// The rows that the request finds among some, or among what the context shows. There, an object without changes of
    /// its own matches if its source finds it, whatever changed in objects that it leads to.
    func matches<T>(
        _ request: NSFetchRequest<T>, among asked: [Int: PlainRow]? = nil
    ) -> [(number: Int, keys: NSDictionary)] {
        let kinds = kinds(of: request)
        let stores = request.affectedStores.map { asked in
            coordinator.persistentStores.indices.filter { asked.contains(coordinator.persistentStores[$0]) }
        }
        let rows = asked ?? shown
        let found = rows.values.filter { row in
            kinds.contains(row.kind) && stores?.contains(row.store) ?? true
                && (try? request.settings.isMet(by: row.dictionary(among: asked ?? source(of: row)))) ?? false
        }
        return found.sorted().map { ($0.number, $0.dictionary(among: rows)) }
            .sorted { order($0.keys, $1.keys, request) == .orderedAscending }
    }

    private func kinds<T>(of request: NSFetchRequest<T>) -> [String] {
        let entity = request.entityName ?? ""
        return entity == "Item" && request.includesSubentities ? ["Item", "Special"] : [entity]
    }

    /// The rows that decide whether a row matches.
    private func source(of row: PlainRow) -> [Int: PlainRow] {
        func isSame(_ some: [Int: PlainRow], _ others: [Int: PlainRow]) -> Bool {
            func members(_ rows: [Int: PlainRow]) -> Set<Int> {
                Set(rows.values.filter { $0.box == row.number || $0.tags.contains(row.number) }.map(\.number))
            }
            return some[row.number] == others[row.number] && members(some) == members(others)
        }
        let above = context === root ? stored : shownByRoot
        if !isSame(above, shown) || objects[row.number]?.hasChanges ?? true { return shown }
        return isSame(stored, above) ? stored : above
    }

    private func order<T>(_ a: NSDictionary, _ b: NSDictionary, _ request: NSFetchRequest<T>) -> ComparisonResult {
        for descriptor in request.sortDescriptors ?? [] {
            let result = descriptor.compare(a, to: b)
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }

    func bounds(_ count: Int, _ request: NSFetchRequest<NSManagedObject>) -> Range<Int> {
        let start = min(request.fetchOffset, count)
        return start..<(request.fetchLimit == 0 ? count : min(count, start + request.fetchLimit))
    }

    /// Says how the numbers differ from what is expected; nil if they do not. Rows that the order leaves equal may be
    /// in any order.
    func difference(
        _ numbers: [Int], _ expected: [(number: Int, keys: NSDictionary)], _ request: NSFetchRequest<NSManagedObject>
    ) -> String? {
        let window = expected[bounds(expected.count, request)]
        let keys = Dictionary(uniqueKeysWithValues: expected.map { ($0.number, $0.keys) })
        let isRight =
            numbers.count == window.count && Set(numbers).count == numbers.count
            && zip(numbers, window).allSatisfy { number, wanted in
                keys[number].map { order($0, wanted.keys, request) == .orderedSame } ?? false
            }
        return isRight ? nil : "\(numbers), not \(window.map(\.number)) of \(expected.map(\.number))"
    }

    // MARK: - Requests

    private func descriptors(of kind: String) -> [NSSortDescriptor] {
        var keys = ["name", "rank", "number"]
        if kind == "Item" || kind == "Special" {
            keys += ["price", "date", "flag", "amount", "box.rank", "box.name", "place.name", "place.rank"]
        }
        return (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            let key = pick(keys)
            if key.hasSuffix("name"), chance(2) {
                let selector: Selector = pick(["localizedStandardCompare:", "caseInsensitiveCompare:", "compare:"])
                return NSSortDescriptor(key: key, ascending: chance(2), selector: selector)
            }
            if key.hasSuffix("name"), chance(3) {
                return NSSortDescriptor(key: key, ascending: chance(2), rankOf: pick(["bo", "bob ann*", "anna"]))
            }
            return NSSortDescriptor(key: key, ascending: chance(2))
        }
    }

    private func predicate(of kind: String, depth: Int = 2) -> String {
        func part() -> String { "(" + predicate(of: kind, depth: depth - 1) + ")" }
        switch depth > 0 ? Int.random(in: 0..<6, using: &generator) : 3 {
        case 0: return part() + " AND " + part()
        case 1: return part() + " OR " + part()
        case 2: return "NOT " + part()
        default: break
        }
        let isItem = kind == "Item" || kind == "Special"
        return pick(Self.clauses + (isItem ? Self.clausesOfItems : Self.clausesOfOthers))
    }

    private static let clauses = [
        "name == nil", "name != nil", "rank == nil", "TRUEPREDICATE", "number < 5",
        "name TOKENMATCHES[cd] 'anna'", "name TOKENMATCHES[cd] 'an* bob'", "name TOKENMATCHES 'Anna'",
        "name TOKENMATCHES[c] 'änne'", "name TOKENMATCHES[cd] '\"or anna\"'", "name == 'anna'", "name ==[cd] 'anna'",
        "name BEGINSWITH 'an'", "name CONTAINS[c] 'NN'", "name ENDSWITH[d] 'e'",
        "name LIKE '*o*'", "name LIKE[c] 'A?na'", "name MATCHES '[ab].*'", "name IN {'bob', 'anna'}", "name > 'anna'",
        "name CONTAINS '%'", "name != 'bob'", "rank > 0", "rank != 1", "rank BETWEEN {0, 2}", "rank IN {1, 7}",
        "rank + 1 == 2", "rank == 0",
        "name IN {'bob', nil}", "name IN[c] {'BOB', 'x'}", "rank IN {}", "rank BETWEEN {2, 0}", "rank BETWEEN {nil, 1}",
        "CAST(rank, 'NSString') == '7'", "sqrt:(rank) > 1", "ln:(rank) < 1", "noindex:(rank) == 1", "rank & 1 == 1",
        "rank ** 2 / 3 >= 1", "TERNARY(rank != 1, rank, 5) > 1", "name == 5", "rank != 'x'",
    ]
    private static let clausesOfItems = [
        "price == nil", "flag == nil", "date == nil", "amount == nil", "box == nil", "box != nil", "box.name == nil",
        "place.name == nil", "place.rank != nil", "blob == nil", "blob != nil", "tags.@count == 0", "tags.@count > 1",
        "ANY tags.name == 'anna'", "ANY tags.rank > 0",
        "NONE tags.name == 'bob'",
        "SUBQUERY(tags, $t, $t.rank > 0 AND $t.name != nil).@count > 0",
        "price > 0", "flag == YES", "flag == NO", "flag != YES", "date > CAST(0, 'NSDate')", "amount >= 2.5",
        "box.rank > 0", "box.name == 'bob'", "box.rank != 1",
        "place.rank > 0", "place.name BEGINSWITH 'an'", "place.name ==[c] 'anna'", "place.rank IN {0, 2}",
        "blob == $large", "blob != $large", "blob IN $blobs", "blob == $lookalike", "code == $lookalike",
        "code != $small",
        "price < rank", "rank != nil AND place.rank == rank",
        "place.name != nil AND name == place.name", "place.rank != nil AND box.rank == place.rank",
        "tags.@max.rank > 1", "tags.@min.rank == 0", "rank != nil AND box.rank == rank", "rank == 1",
        "flag == YES",
        "ALL tags.rank != 1", "ANY tags.name != 'bob'", "SUBQUERY(tags, $t, NOT ($t.rank == 1)).@count > 0",
        "tags.@avg.rank > 0", "tags.rank.@sum == 2", "sum:(tags.rank) > 2", "tags.@count == rank", "name IN tags.name",
        "ANY tags.rank IN {rank, 7}", "name ==[c] box.name", "flag == 2", "amount + price > rank",
        "date + 5 > CAST(0, 'NSDate')", "TERNARY(box.rank != 1, price, 0.5) > 0", "box.rank IN tags.rank",
    ]
    private static let clausesOfOthers = [
        "items.@count > 0", "ANY items.rank > 0", "SUBQUERY(items, $i, $i.price > 0).@count == 1",
        "NONE items.name == 'bob'", "ANY items.place.rank > 0", "ANY items.place.name == 'anna'",
        "SUBQUERY(items, $i, $i.place.rank == 1 OR $i.blob == nil).@count > 1", "items.@avg.price > 0",
        "items.@max.rank == 7", "ALL items.price > 0", "ANY items.name IN[c] {'ANNA', nil}", "items.price.@sum > 1",
        "SUBQUERY(items, $i, TERNARY($i.flag != YES, 1, 0) == 1).@count > 0", "ANY items.amount > rank",
    ]
}
