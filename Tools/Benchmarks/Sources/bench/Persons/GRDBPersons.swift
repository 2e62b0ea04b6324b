import Foundation
import GRDB

/// `person` as a record that is read by column number: GRDB's fast form, with dates as numbers.
struct FastPerson: FetchableRecord {
    let name, surname: String
    let birthday, hired: Double
    let salary: Decimal
    let token: UUID
    let nickname: String?

    /// The columns from `first` on, in the order of `PersonData.columns`.
    init(row: Row, first: Int) {
        name = row[first]
        surname = row[first + 1]
        birthday = row[first + 2]
        hired = row[first + 3]
        salary = row[first + 4]
        token = row[first + 5]
        nickname = row[first + 6]
    }

    init(row: Row) { self.init(row: row, first: 0) }

    var digest: Int64 {
        PersonData.digest(
            name: name, surname: surname, birthday: birthday, hired: hired, salary: salary, token: token,
            nickname: nickname)
    }
}

/// `person` in GRDB's databases.
enum GRDBPersons {
    static func create(_ trial: Trial) throws -> DatabaseQueue {
        let queue = try GRDBItems.create(trial)
        try queue.write { try $0.execute(sql: PersonData.createTable) }
        return queue
    }

    static func insert(_ rows: Range<Int>, into queue: DatabaseQueue) throws {
        try queue.write { database in
            let statement = try database.cachedStatement(sql: PersonData.insert)
            for row in rows {
                let data = PersonData(number: row)
                try statement.execute(arguments: [
                    row + 1, data.name, data.surname, data.birthday, data.hired, data.salaryText, data.token,
                    data.nickname, data.manager.map { $0 + 1 },
                ])
            }
        }
    }
}
