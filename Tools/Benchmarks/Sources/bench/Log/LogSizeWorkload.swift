import CoreData
import FirnLog
import Foundation

/// What a history takes on disk.
extension Workload {
    static var logSize: Workload {
        Workload(
            name: "log-size", suite: .log,
            summary: "5,000 persons, 10,000 changes of one property, 500 deletions, ten a transaction; packed",
            goals: [
                .figureRatio(name: "bytes", atMost: 0.1, of: "audit"),
                .figureRatio(name: "bytes", atMost: 0.4, of: "session"),
            ],
            sides: [
                Side("audit") { trial in
                    let database = try RawPersons.create(trial)
                    try database.execute(
                        AuditTriggers.sql(table: "person", columns: PersonData.columns, blobs: ["token"]))
                    try PersonHistory(trial).write(to: database) { try $0() }
                    try RawPersons.read(database, into: &trial.digest)
                    trial.figures["bytes"] = try AuditTriggers.size(in: database, tables: ["person"])
                },
                Side("session") { trial in
                    let database = try RawPersons.create(trial)
                    var bytes = 0
                    try PersonHistory(trial).write(to: database) { transaction in
                        bytes += try Changeset.size(of: ["person"], in: database, transaction)
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
                    let log = try SegmentLog.open(directory: trial.path("firn.sqlite-log"), forWriting: true)
                    try LogMaintenance(log).pack(sealingLast: true)
                    trial.figures["bytes"] = Double(try LogBytes.count(log))
                },
            ])
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
