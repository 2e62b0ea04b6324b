import CoreData

/// `item` as a managed object.
final class Item: NSManagedObject {
    @NSManaged var a: Int64
    @NSManaged var b: Int64
    @NSManaged var c: Int64
    @NSManaged var d: Int64
    @NSManaged var e: Int64
    @NSManaged var f: Int64
    @NSManaged var g: Int64
    @NSManaged var h: Int64
    @NSManaged var i: Int64
    @NSManaged var j: Int64

    func fill(_ row: Int) {
        a = ItemData.value(row, 0)
        b = ItemData.value(row, 1)
        c = ItemData.value(row, 2)
        d = ItemData.value(row, 3)
        e = ItemData.value(row, 4)
        f = ItemData.value(row, 5)
        g = ItemData.value(row, 6)
        h = ItemData.value(row, 7)
        i = ItemData.value(row, 8)
        j = ItemData.value(row, 9)
    }

    /// The number of the row, in the order in which they were inserted.
    var number: Int64 { Int64(objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0 }

    var sum: Int64 { a &+ b &+ c &+ d &+ e &+ f &+ g &+ h &+ i &+ j }
}

/// `item` in stores of Firn.
enum FirnItems {
    static func model(isIndexed: Bool = false) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Item"
        entity.managedObjectClassName = NSStringFromClass(Item.self)
        entity.properties = ItemData.columns.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .integer64AttributeType
            attribute.isOptional = false
            attribute.defaultValue = 0
            return attribute
        }
        if isIndexed, let a = entity.propertiesByName["a"] {
            let element = NSFetchIndexElementDescription(property: a, collationType: .binary)
            entity.indexes = [NSFetchIndexDescription(name: "byA", elements: [element])]
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    static func create(
        _ trial: Trial, durability: Durability? = nil, isIndexed: Bool = false
    ) throws -> NSPersistentContainer {
        try FirnStores.container(trial, model(isIndexed: isIndexed), durability: durability)
    }

    static func insert(_ rows: Range<Int>, into context: NSManagedObjectContext) throws {
        try context.performAndWait {
            for row in rows { Item(context: context).fill(row) }
            try context.save()
        }
    }

    static func created(_ trial: Trial, rows: Int) throws -> NSPersistentContainer {
        let container = try create(trial)
        let context = container.newBackgroundContext()
        try insert(0..<rows, into: context)
        try catchUpTables(context)
        try FirnStores.rest(trial)
        return container
    }

    /// Ends a measure of saves: reading waits until the tables have all of them, as those of the other sides do.
    static func catchUpTables(_ context: NSManagedObjectContext) throws {
        let request = request()
        request.fetchLimit = 1
        _ = try context.performAndWait { try context.fetch(request) }
    }

    static func request() -> NSFetchRequest<Item> { NSFetchRequest(entityName: "Item") }

    static func read(_ container: NSPersistentContainer, into digest: inout Digest) throws {
        let context = container.newBackgroundContext()
        var sums = digest
        try context.performAndWait {
            let request = request()
            request.returnsObjectsAsFaults = false
            for item in try context.fetch(request) { sums.add(item.sum) }
        }
        digest = sums
    }
}

/// Stores of Firn with the model of a workload.
enum FirnStores {
    static func container(
        _ trial: Trial, _ model: NSManagedObjectModel, durability: Durability? = nil,
        historyTables: HistoryTables = .onUse
    ) throws -> NSPersistentContainer {
        try container(tables(trial), model, durability: durability, historyTables: historyTables)
    }

    static func container(
        _ url: URL, _ model: NSManagedObjectModel, durability: Durability? = nil,
        historyTables: HistoryTables = .onUse
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "bench", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        if let durability { description.durability = durability }
        description.historyTables = historyTables
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// Waits until SQLite's write-ahead log is in the tables' file, which on the other sides is a part of each commit:
    /// what is measured next has the machine for itself.
    static func rest(_ trial: Trial) throws {
        try RawDatabase(tables(trial).path).execute("PRAGMA busy_timeout = 60000; PRAGMA wal_checkpoint(FULL)")
    }

    private static func tables(_ trial: Trial) -> URL { trial.folder.appendingPathComponent("firn.sqlite") }
}
