import GRDB

/// `product` as GRDB's users write it.
struct CodableProduct: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "product"

    var id: Int64?
    var name: String
    var number: Int
    var price: Double
    var isActive: Bool

    init(row: Int) {
        name = ProductData.name(row)
        number = ProductData.number(row)
        price = ProductData.price(row)
        isActive = ProductData.isActive(row)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    var digest: Int64 { ProductData.digest(name, number, price, isActive) }
}

/// The workloads of models with GRDB.
enum GRDBProducts {
    static func create(_ trial: Trial) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        let queue = try DatabaseQueue(path: trial.path("grdb.sqlite"), configuration: configuration)
        try queue.write { try $0.execute(sql: ProductData.createTable) }
        return queue
    }

    static func created(_ trial: Trial) throws -> DatabaseQueue {
        let queue = try create(trial)
        try insert(trial, into: queue)
        return queue
    }

    static func insert(_ trial: Trial, into queue: DatabaseQueue) throws {
        try queue.write { database in
            for row in 0..<trial.count(ProductData.count) {
                var product = CodableProduct(row: row)
                try product.insert(database)
            }
        }
    }

    static func read(_ queue: DatabaseQueue, into digest: inout Digest) throws {
        for product in try queue.read({ try CodableProduct.fetchAll($0) }) { digest.add(product.digest) }
    }

    static func sort(_ queue: DatabaseQueue, into digest: inout Digest) throws {
        let products = try queue.read { database in
            try CodableProduct.filter(Column("price") > ProductData.middlePrice && Column("isActive") == true)
                .order(Column("name"), Column("number")).fetchAll(database)
        }
        for product in products { digest.add(product.digest) }
    }

    static func update(_ queue: DatabaseQueue) throws {
        try queue.write { database in
            for var product in try CodableProduct.fetchAll(database) where product.number % 2 == 0 {
                product.price += 1
                product.isActive.toggle()
                try product.update(database)
            }
        }
    }

    static func delete(_ queue: DatabaseQueue) throws {
        try queue.write { database in
            for product in try CodableProduct.fetchAll(database) { try product.delete(database) }
        }
    }
}
