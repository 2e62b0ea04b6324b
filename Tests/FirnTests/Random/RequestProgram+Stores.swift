import Firn
import FirnModel
import Foundation

/// Questions to the stores, now and as of earlier points.
extension RequestProgram {
    /// A point in the history of the stores, with their rows.
    struct Point {
        let token: NSPersistentHistoryToken
        let rows: [Int: PlainRow]
    }

    func addPoint() {
        guard let token = coordinator.currentPersistentHistoryToken(fromStores: nil) else { return }
        points.append(Point(token: token, rows: stored))
    }

    /// A context of an earlier point answers as the stores did then.
    func askThePast(_ request: NSFetchRequest<NSManagedObject>, _ fail: (String) -> Mismatch) throws {
        guard cast != .memory, request.affectedStores == nil, chance(4), !points.isEmpty else { return }
        let index = Int.random(in: points.indices, using: &generator)
        func failThen(_ text: String) -> Mismatch { fail("as of point \(index): " + text) }
        let (past, rows) = (try coordinator.newContext(asOf: .token(points[index].token)), points[index].rows)
        let expected = matches(request, among: rows)
        try past.performAndWait {
            let then = NSFetchRequest<NSManagedObject>(entityName: request.entityName ?? "")
            copy(request, to: then)
            let objects = try past.fetch(then)
            let numbers = objects.map { $0.value(forKey: "number") as? Int ?? -1 }
            if let text = difference(numbers, expected, request) { throw failThen("fetched \(text)") }
            try checkValues(objects, rows, failThen)
            let count = try past.count(for: then)
            if count != bounds(expected.count, request).count {
                throw failThen("counted \(count) of \(expected.count)")
            }
            try askForDictionaries(then, past, rows, failThen)
        }
    }

    func checkValues(
        _ objects: [NSManagedObject], _ rows: [Int: PlainRow], _ fail: (String) -> Mismatch
    ) throws {
        for object in objects {
            let number = object.value(forKey: "number") as? Int ?? -1
            for (key, value) in rows[number]?.values ?? [:]
            where PlainRow.text(object.value(forKey: key)) != PlainRow.text(value) {
                throw fail(
                    "\(key) of \(number) is \(PlainRow.text(object.value(forKey: key))), not \(PlainRow.text(value))")
            }
        }
    }

    /// Dictionaries are of what the stores have, whatever a context has changed.
    func askForDictionaries(
        _ request: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext, _ rows: [Int: PlainRow],
        _ fail: (String) -> Mismatch
    ) throws {
        let (expected, kind) = (matches(request, among: rows), request.entityName ?? "")
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: kind)
        copy(request, to: dictionaries)
        dictionaries.resultType = .dictionaryResultType
        let derived = PlainRow.derivations(of: kind).map(\.name)
        let more = kind == "Item" || kind == "Special" ? ["place.name", "place.rank", "blob", "code"] : []
        dictionaries.propertiesToFetch = ["number", "name", "rank"] + derived + more + (more.isEmpty ? [] : ["box"])
        let found = try context.fetch(dictionaries)
        if let text = difference(found.map { $0["number"] as? Int ?? -1 }, expected, request) {
            throw fail("dictionaries of \(text)")
        }
        // What the store still leads to may be deleted above a child.
        let stores = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        stores.persistentStoreCoordinator = coordinator
        let reader = context.parent == nil ? context : stores
        for dictionary in found {
            let row = rows[dictionary["number"] as? Int ?? -1]
            for key in ["name", "rank"] where PlainRow.text(dictionary[key]) != PlainRow.text(row?.values[key] ?? nil) {
                throw fail("\(dictionary) of \(row.map { "\($0)" } ?? "-")")
            }
            for key in more {
                let place = row?.values["place"] as? [String: any Sendable]
                let value = key.hasPrefix("place.") ? place?[String(key.dropFirst(6))] : row?.values[key] ?? nil
                if PlainRow.text(dictionary[key]) != PlainRow.text(value) {
                    throw fail("\(key) is \(PlainRow.text(dictionary[key])) of \(row.map { "\($0)" } ?? "-")")
                }
            }
            let box = (dictionary["box"] as? NSManagedObjectID).map { id in
                reader.performAndWait { reader.object(with: id).value(forKey: "number") as? Int }
            }
            if box ?? nil != row?.box { throw fail("\(dictionary) of \(row.map { "\($0)" } ?? "-")") }
            let values = row?.derived(among: rows) ?? [:]
            for key in derived where PlainRow.text(dictionary[key]) != PlainRow.text(values[key]) {
                throw fail("\(key) is derived as \(PlainRow.text(dictionary[key])), not \(values), of \(row!)")
            }
        }
        dictionaries.propertiesToFetch = ["name", "rank"]
        dictionaries.returnsDistinctResults = true
        (dictionaries.fetchLimit, dictionaries.fetchOffset) = (0, 0)
        dictionaries.sortDescriptors = nil
        let distinct = try context.fetch(dictionaries).map { PlainRow.text($0["name"]) + PlainRow.text($0["rank"]) }
        let wanted = Set(expected.map { PlainRow.text($0.keys["name"]) + PlainRow.text($0.keys["rank"]) })
        if distinct.sorted() != wanted.sorted() { throw fail("distinct \(distinct.sorted()), not \(wanted.sorted())") }
        try askForGroups(request, context, expected, fail)
    }

    /// Aggregates of ranks by name, or of all.
    private func askForGroups(
        _ request: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext,
        _ expected: [(number: Int, keys: NSDictionary)], _ fail: (String) -> Mismatch
    ) throws {
        let groups = NSFetchRequest<NSDictionary>(entityName: request.entityName ?? "")
        groups.predicate = request.predicate
        groups.includesSubentities = request.includesSubentities
        groups.affectedStores = request.affectedStores
        groups.resultType = .dictionaryResultType
        let functions = ["count", "sum", "min", "max"]
        let aggregates = functions.map { function in
            let description = NSExpressionDescription()
            description.name = function
            description.expression = NSExpression(
                forFunction: function + ":", arguments: [NSExpression(forKeyPath: "rank")])
            description.expressionResultType = .integer64AttributeType
            return description
        }
        let isGrouped = chance(2)
        groups.propertiesToFetch = (isGrouped ? ["name"] : []) + aggregates
        if isGrouped { groups.propertiesToGroupBy = ["name"] }
        // What several stores have is not one group.
        if cast == .twoStores, groups.affectedStores == nil { return }
        var ranks: [String: [Int]] = isGrouped ? [:] : ["": []]
        for (_, keys) in expected {
            let rank = keys["rank"] as? Int
            ranks[isGrouped ? PlainRow.text(keys["name"]) : "", default: []] += rank.map { [$0] } ?? []
        }
        let found = try context.fetch(groups).map { group in
            (isGrouped ? PlainRow.text(group["name"]) : "") + " "
                + functions.map { PlainRow.text(group[$0]) }.joined(separator: " ")
        }
        let wanted = ranks.map { name, ranks in
            let values: [Int?] = [ranks.count, ranks.reduce(0, +), ranks.min(), ranks.max()]
            return name + " " + values.map { PlainRow.text($0) }.joined(separator: " ")
        }
        if found.sorted() != wanted.sorted() {
            throw fail("groups \(found.sorted()), not \(wanted.sorted())")
        }
    }
}
