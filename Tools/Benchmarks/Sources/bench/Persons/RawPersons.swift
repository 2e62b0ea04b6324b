import Foundation

/// `person` through SQLite's C interface.
enum RawPersons {
    static func create(_ trial: Trial) throws -> RawDatabase {
        let database = try RawDatabase(trial.path("raw.sqlite"))
        try database.execute(PersonData.createTable)
        return database
    }

    static func insert(_ rows: Range<Int>, into database: RawDatabase) throws {
        let statement = try database.prepare(PersonData.insert)
        try database.transaction {
            for row in rows {
                bind(PersonData(number: row), to: statement)
                try statement.run()
            }
        }
    }

    private static func bind(_ data: PersonData, to statement: RawStatement) {
        statement.bind(Int64(data.number + 1), 1)
        statement.bind(data.name, 2)
        statement.bind(data.surname, 3)
        statement.bind(data.birthday, 4)
        statement.bind(data.hired, 5)
        statement.bind(data.salaryText, 6)
        statement.bind(withUnsafeBytes(of: data.token.uuid) { Array($0) }, 7)
        if let nickname = data.nickname { statement.bind(nickname, 8) } else { statement.bindNull(8) }
        if let manager = data.manager { statement.bind(Int64(manager + 1), 9) } else { statement.bindNull(9) }
    }

    /// A number of each row, which does not depend on how values are kept.
    static func read(_ database: RawDatabase, into digest: inout Digest) throws {
        let statement = try database.prepare("SELECT length(CAST(surname AS BLOB)), manager IS NULL FROM person")
        while try statement.step() { digest.add(statement.integer(0) * 2 + statement.integer(1)) }
    }
}
