import CoreData
import FirnLog
import Foundation
import SystemSQLite
import SystemZstd

/// What a history takes on disk.
extension Workload {
    static var logSize: Workload {
        Workload(
            name: "log-size", suite: .log,
            summary: "5,000 persons, 10,000 changes of one property and 500 deletions, ten a transaction",
            goals: [
                .figureRatio(name: "bytes", atMost: 0.1, of: "audit"),
                .figureRatio(name: "bytes", atMost: 0.5, of: "session"),
            ],
            sides: [
                Side("audit") { trial in
                    let database = try RawPersons.create(trial)
                    try database.execute(
                        AuditTriggers.sql(table: "person", columns: PersonData.columns, blobs: ["token"]))
                    try PersonHistory(trial).write(to: database) { try $0() }
                    try RawPersons.read(database, into: &trial.digest)
                    let all = try size(database)
                    for kind in ["inserted", "updated", "deleted"] {
                        try database.execute("DROP TRIGGER person_\(kind)")
                    }
                    try database.execute("DROP TABLE audit")
                    trial.figures["bytes"] = all - (try size(database))
                },
                Side("session") { trial in
                    let database = try RawPersons.create(trial)
                    var bytes = 0
                    try PersonHistory(trial).write(to: database) { transaction in
                        bytes += try Changeset.size(of: "person", in: database, transaction)
                    }
                    try RawPersons.read(database, into: &trial.digest)
                    trial.figures["bytes"] = Double(bytes)
                },
                Side("firn") { trial in
                    let context = try FirnPersons.create(trial).newBackgroundContext()
                    try PersonHistory(trial).save(in: context)
                    try context.performAndWait {
                        for person in try context.fetch(NSFetchRequest<Person>(entityName: "Person")) {
                            trial.digest.add(Int64(person.surname.utf8.count) * 2 + (person.manager == nil ? 1 : 0))
                        }
                    }
                    let log = try SegmentLog.open(directory: trial.path("firn.sqlite-log"), forWriting: false)
                    // Segments have room for more; what is used counts.
                    var bytes = 0
                    for number in log.first.rawValue...log.head.rawValue {
                        bytes += try log.frame(at: SequenceNumber(number)).frameSize
                    }
                    trial.figures["bytes"] = Double(bytes)
                },
            ])
    }

    /// Of the database without what is free in it.
    private static func size(_ database: RawDatabase) throws -> Double {
        try database.execute("VACUUM")
        let statement = try database.prepare("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        _ = try statement.step()
        return Double(statement.integer(0))
    }
}

/// The transactions whose history is weighed.
private struct PersonHistory {
    private let count: Int
    private let changes: Int
    private let deletions: Int
    private let each = 10

    init(_ trial: Trial) {
        count = trial.count(5_000)
        changes = trial.count(10_000)
        deletions = trial.count(500)
    }

    /// The person that a change is of, and when it is hired from then on.
    private func change(_ number: Int) -> (person: Int, hired: Double) {
        let person = number * 7_919 % count
        return (person, PersonData(number: person).hired + Double(number))
    }

    /// Hands each transaction to `run`.
    func write(to database: RawDatabase, _ run: (() throws -> Void) throws -> Void) throws {
        for first in stride(from: 0, to: count, by: each) {
            try run { try RawPersons.insert(first..<first + each, into: database) }
        }
        let update = try database.prepare("UPDATE person SET hired = ? WHERE id = ?")
        let delete = try database.prepare("DELETE FROM person WHERE id = ?")
        for first in stride(from: 0, to: changes, by: each) {
            try run {
                try database.transaction {
                    for number in first..<first + each {
                        let change = change(number)
                        update.bind(change.hired, 1)
                        update.bind(Int64(change.person + 1), 2)
                        try update.run()
                    }
                }
            }
        }
        for first in stride(from: count - deletions, to: count, by: each) {
            try run {
                try database.transaction {
                    for person in first..<first + each {
                        delete.bind(Int64(person + 1), 1)
                        try delete.run()
                    }
                }
            }
        }
    }

    func save(in context: NSManagedObjectContext) throws {
        try context.performAndWait {
            var persons: [Person] = []
            for number in 0..<count {
                let person = Person(context: context)
                let data = PersonData(number: number)
                person.fill(data)
                if let manager = data.manager { person.manager = persons[manager] }
                persons.append(person)
                if persons.count % each == 0 { try context.save() }
            }
            for number in 0..<changes {
                let change = change(number)
                persons[change.person].hired = Date(timeIntervalSinceReferenceDate: change.hired)
                if (number + 1) % each == 0 { try context.save() }
            }
            for number in count - deletions..<count {
                context.delete(persons[number])
                if (number + 1) % each == 0 { try context.save() }
            }
        }
    }
}

/// What SQLite's session extension records: https://sqlite.org/sessionintro.html
private enum Changeset {
    /// The bytes of the changeset of a transaction, compressed.
    static func size(of table: String, in database: RawDatabase, _ transaction: () throws -> Void) throws -> Int {
        var session: OpaquePointer?
        guard sqlite3session_create(database.handle, "main", &session) == SQLITE_OK,
            sqlite3session_attach(session, table) == SQLITE_OK
        else { throw RawError(status: SQLITE_ERROR, text: "no session") }
        defer { sqlite3session_delete(session) }
        try transaction()
        var count: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        guard sqlite3session_changeset(session, &count, &bytes) == SQLITE_OK else {
            throw RawError(status: SQLITE_ERROR, text: "no changeset")
        }
        defer { sqlite3_free(bytes) }
        var compressed = [UInt8](repeating: 0, count: ZSTD_compressBound(Int(count)))
        return ZSTD_compress(&compressed, compressed.count, bytes, Int(count), 3)
    }
}
