import Firn
import FirnModel
import Foundation
import TestSupport

/// A random program of edits and requests. After each step a request of every kind is held to plain dictionaries: what
/// matches, in which order, between which bounds, of which store.
final class RequestProgram {
    /// The context that asks, and its stores.
    enum Cast: String, CaseIterable {
        case root, child, twoStores, memory
    }

    typealias Mismatch = GraphProgram.Mismatch

    var generator: SeededGenerator
    let cast: Cast
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let root: NSManagedObjectContext
    let context: NSManagedObjectContext
    /// The rows of the stores, of the root, and of the context that asks.
    var stored: [Int: PlainRow] = [:]
    var shownByRoot: [Int: PlainRow] = [:]
    var shown: [Int: PlainRow] = [:]
    var objects: [Int: NSManagedObject] = [:]
    var points: [Point] = []
    private var lastNumber = 0
    private var trace: [String] = []

    init(_ cast: Cast, _ generator: SeededGenerator) throws {
        self.cast = cast
        self.generator = generator
        directory = try TemporaryDirectory()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: PlainRow.model())
        for index in 0..<(cast == .twoStores ? 2 : 1) {
            _ = try coordinator.addPersistentStore(
                ofType: cast == .memory ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil,
                at: cast == .memory ? nil : directory.file("Store\(index).sqlite"), options: nil)
        }
        root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.persistentStoreCoordinator = coordinator
        if cast == .child {
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.parent = root
        } else {
            context = root
        }
    }

    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    func pick<C: Collection>(_ all: C) -> C.Element { all.randomElement(using: &generator)! }

    func note(_ text: String) { trace.append(text) }

    func failure(_ text: String) -> Mismatch {
        Mismatch(
            description: "\(text)\n\(cast.rawValue), \(generator): the program\n" + trace.joined(separator: "\n"))
    }

    func run(_ count: Int) throws {
        try context.performAndWait {
            for _ in 0..<count {
                do {
                    try step()
                    // A fetch does not end an event, which is when delete rules act.
                    context.processPendingChanges()
                    for _ in 0..<3 { try ask() }
                } catch let error where !(error is Mismatch) { throw failure("\(error)") }
            }
        }
    }

    private func step() throws {
        switch Int.random(in: 0..<30, using: &generator) {
        case 0..<10: insert()
        case 10..<16: change()
        case 16..<19: relate()
        case 19..<22: delete()
        case 22..<25: try save()
        case 25: rollBack()
        case 26: refresh()
        case 27: try saveRoot()
        case 28: try changeStored()
        case 29: try changeMany()
        default: break
        }
    }

    // MARK: - Steps

    private func insert() {
        lastNumber += 1
        let kind = pick(["Item", "Item", "Special", "Box", "Tag"])
        let object = NSEntityDescription.insertNewObject(forEntityName: kind, into: context)
        let store = Int.random(in: 0..<coordinator.persistentStores.count, using: &generator)
        if cast == .twoStores { context.assign(object, to: coordinator.persistentStores[store]) }
        var row = PlainRow(kind: kind, number: lastNumber, store: store)
        object.setValue(lastNumber, forKey: "number")
        for (key, values) in PlainRow.values(of: kind) where !chance(4) {
            row.values[key] = pick(values)
            object.setValue(row.values[key] ?? nil, forKey: key)
        }
        note("insert \(row)")
        (shown[lastNumber], objects[lastNumber]) = (row, object)
    }

    private func change() {
        guard let row = shown.values.sorted().randomElement(using: &generator), let object = objects[row.number],
            let (key, values) = PlainRow.values(of: row.kind).randomElement(using: &generator)
        else { return }
        let value = pick(values)
        note("set \(key) of \(row.number) to \(PlainRow.text(value))")
        object.setValue(value, forKey: key)
        shown[row.number]?.values[key] = value
    }

    private func relate() {
        guard let item = shown.values.filter(\.isItem).sorted().randomElement(using: &generator) else { return }
        let others = shown.values.filter { $0.store == item.store }.sorted()
        if chance(2) {
            let box = chance(4) ? nil : others.filter { $0.kind == "Box" }.randomElement(using: &generator)
            note("put \(item.number) into \(box?.number ?? 0)")
            objects[item.number]?.setValue(box.flatMap { objects[$0.number] }, forKey: "box")
            shown[item.number]?.box = box?.number
        } else {
            let tags = others.filter { $0.kind == "Tag" }.filter { _ in chance(2) }
            note("tag \(item.number) with \(tags.map(\.number))")
            objects[item.number]?.setValue(NSSet(array: tags.compactMap { objects[$0.number] }), forKey: "tags")
            shown[item.number]?.tags = Set(tags.map(\.number))
        }
    }

    private func delete() {
        guard let row = shown.values.sorted().randomElement(using: &generator), let object = objects[row.number] else {
            return
        }
        note("delete \(row.number)")
        context.delete(object)
        removeRow(row.number)
    }

    private func removeRow(_ removed: Int) {
        shown[removed] = nil
        for number in shown.keys {
            if shown[number]?.box == removed { shown[number]?.box = nil }
            shown[number]?.tags.remove(removed)
        }
    }

    private func save() throws {
        note("save")
        try context.save()
        shownByRoot = shown
        guard context === root else { return }
        stored = shown
        addPoint()
    }

    private func saveRoot() throws {
        guard cast == .child else { return }
        note("save the root")
        try root.performAndWait { try root.save() }
        stored = shownByRoot
        addPoint()
    }

    private func rollBack() {
        note("roll back")
        context.rollback()
        shown = context === root ? stored : shownByRoot
        objects = objects.filter { shown[$0.key] != nil }
        for row in shown.values where objects[row.number] == nil { find(row) }
    }

    private func refresh() {
        note("refresh")
        context.refreshAllObjects()
    }

    /// Another context changes what the stores have. The context that asks has no changes, and reads it.
    private func changeStored() throws {
        guard cast != .child, !context.hasChanges, let row = stored.values.sorted().randomElement(using: &generator),
            let (key, values) = PlainRow.values(of: row.kind).randomElement(using: &generator),
            let id = objects[row.number]?.objectID, !id.isTemporaryID
        else { return }
        let value = pick(values)
        note("another context sets \(key) of \(row.number) to \(PlainRow.text(value))")
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        try other.performAndWait {
            other.object(with: id).setValue(value, forKey: key)
            try other.save()
        }
        stored[row.number]?.values[key] = value
        shown = stored
        addPoint()
        context.refreshAllObjects()
    }

    /// A batch request changes or deletes what matches in the stores. The context has no changes, and merges it.
    private func changeMany() throws {
        guard cast != .child, cast != .memory, !context.hasChanges else { return }
        let kind = pick(["Item", "Special", "Box", "Tag"])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: kind)
        request.predicate = NSPredicate(format: pick(["rank > 0", "rank == nil", "name BEGINSWITH 'a'", "number < 4"]))
        request.includesSubentities = !chance(3)
        let found = Set(matches(request, among: stored).map(\.number))
        let merged: [AnyHashable: Any]
        if chance(2) {
            note("delete \(found.sorted()) by a batch")
            let batch = NSBatchDeleteRequest(fetchRequest: request)
            batch.resultType = .resultTypeObjectIDs
            let result = try context.execute(batch) as? NSBatchDeleteResult
            merged = [NSDeletedObjectsKey: result?.result ?? []]
            for number in found { removeRow(number) }
        } else {
            note("set the ranks of \(found.sorted()) by a batch")
            let batch = NSBatchUpdateRequest(entityName: kind)
            batch.predicate = request.predicate
            batch.includesSubentities = request.includesSubentities
            let places = chance(2) && (kind == "Item" || kind == "Special")
            batch.propertiesToUpdate = [places ? "place.rank" : "rank": NSExpression(forConstantValue: 3)]
            batch.resultType = .updatedObjectIDsResultType
            let result = try context.execute(batch) as? NSBatchUpdateResult
            merged = [NSUpdatedObjectsKey: result?.result ?? []]
            for number in found {
                var place = shown[number]?.values["place"] as? [String: any Sendable] ?? [:]
                place["rank"] = 3
                if places { shown[number]?.values["place"] = place } else { shown[number]?.values["rank"] = 3 }
            }
        }
        stored = shown
        addPoint()
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: merged, into: [context])
        context.refreshAllObjects()
    }

    /// The object of a row that was deleted, and is back.
    private func find(_ row: PlainRow) {
        let request = NSFetchRequest<NSManagedObject>(entityName: row.kind)
        request.predicate = NSPredicate(format: "number == %d", row.number)
        objects[row.number] = try? context.fetch(request).first
    }
}
