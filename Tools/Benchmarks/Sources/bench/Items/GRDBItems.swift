import GRDB

/// `item` as a record that is read by column number and written by a prepared statement: GRDB's fast form.
/// https://github.com/groue/GRDB.swift/blob/master/Documentation/Performance.md
struct FastItem: FetchableRecord {
    var a, b, c, d, e, f, g, h, i, j: Int64

    init(row: Row) {
        a = row[0]
        b = row[1]
        c = row[2]
        d = row[3]
        e = row[4]
        f = row[5]
        g = row[6]
        h = row[7]
        i = row[8]
        j = row[9]
    }

    var sum: Int64 { a &+ b &+ c &+ d &+ e &+ f &+ g &+ h &+ i &+ j }

    /// Finds an item by the index of its first column.
    static func finding(_ database: Database) throws -> Statement {
        try database.cachedStatement(sql: ItemData.select + " WHERE a = ? LIMIT 1")
    }

    static func find(_ row: Int, _ finding: Statement) throws -> FastItem? {
        try fetchOne(finding, arguments: [ItemData.value(row, 0)])
    }
}

/// Three columns of `item`, read by column number.
struct ThreeColumns: FetchableRecord {
    var a, b, c: Int64

    init(row: Row) {
        a = row[0]
        b = row[1]
        c = row[2]
    }
}

/// `item` as GRDB's users write it.
struct CodableItem: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "item"

    var id: Int64?
    var a, b, c, d, e, f, g, h, i, j: Int64

    init(row: Int) {
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

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    var sum: Int64 { a &+ b &+ c &+ d &+ e &+ f &+ g &+ h &+ i &+ j }
}

/// Databases of GRDB with the same durability as the other sides'.
enum GRDBItems {
    static func create(_ trial: Trial, synchronous: String = "FULL") throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = \(synchronous)")
        }
        let queue = try DatabaseQueue(path: trial.path("grdb.sqlite"), configuration: configuration)
        try queue.write { try $0.execute(sql: ItemData.createTable) }
        return queue
    }

    /// A database of this number of items with an index over their first column.
    static func createIndexed(_ trial: Trial, _ rows: Int) throws -> DatabaseQueue {
        let queue = try create(trial)
        try insertFast(0..<rows, into: queue)
        try queue.write { try $0.execute(sql: "CREATE INDEX item_a ON item (a)") }
        return queue
    }

    static func insertFast(_ rows: Range<Int>, into queue: DatabaseQueue) throws {
        try queue.write { database in
            let statement = try database.cachedStatement(sql: ItemData.insert)
            for row in rows {
                try statement.execute(arguments: [
                    ItemData.value(row, 0), ItemData.value(row, 1), ItemData.value(row, 2),
                    ItemData.value(row, 3), ItemData.value(row, 4), ItemData.value(row, 5),
                    ItemData.value(row, 6), ItemData.value(row, 7), ItemData.value(row, 8),
                    ItemData.value(row, 9),
                ])
            }
        }
    }

    static func insertCodable(_ rows: Range<Int>, into queue: DatabaseQueue) throws {
        try queue.write { database in
            for row in rows {
                var item = CodableItem(row: row)
                try item.insert(database)
            }
        }
    }

    static func readFast(_ queue: DatabaseQueue, into digest: inout Digest) throws {
        let items = try queue.read { try FastItem.fetchAll($0, sql: ItemData.select) }
        for item in items { digest.add(item.sum) }
    }

    static func readCodable(_ queue: DatabaseQueue, into digest: inout Digest) throws {
        let items = try queue.read { try CodableItem.fetchAll($0) }
        for item in items { digest.add(item.sum) }
    }
}
