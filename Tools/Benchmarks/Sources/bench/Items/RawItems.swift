/// `item` through SQLite's C interface.
enum RawItems {
    static func create(_ trial: Trial, synchronous: String = "FULL") throws -> RawDatabase {
        let database = try RawDatabase(trial.path("raw.sqlite"), synchronous: synchronous)
        try database.execute(ItemData.createTable)
        return database
    }

    static func insert(_ rows: Range<Int>, into database: RawDatabase) throws {
        let statement = try database.prepare(ItemData.insert)
        try database.transaction {
            for row in rows {
                for column in 0..<10 {
                    statement.bind(ItemData.value(row, column), Int32(column + 1))
                }
                try statement.run()
            }
        }
    }

    /// Reads every column of every row.
    static func read(_ database: RawDatabase, into digest: inout Digest) throws {
        let statement = try database.prepare(ItemData.select)
        while try statement.step() {
            var sum: Int64 = 0
            for column in 0..<10 { sum &+= statement.integer(Int32(column)) }
            digest.add(sum)
        }
    }
}

extension RawItems {
    static func created(_ trial: Trial, rows: Int) throws -> RawDatabase {
        let database = try create(trial)
        try insert(0..<rows, into: database)
        return database
    }
}
