import CoreData
import Foundation
import GRDB

/// Rows with texts, dates, decimals and relationships.
extension Workload {
    private static let persons = 50_000
    /// Half of the persons were hired later, in seconds since 2001.
    private static let hiredAfter = 3_500.0 * 86_400

    static var insertPersons: Workload {
        Workload(
            name: "insert-persons", suite: .persons,
            summary: "insert 50,000 persons, each with a manager, one transaction, synced",
            goals: [.time(atMost: 1, of: "grdb-fast")],
            sides: [
                Side("raw") { trial in
                    let database = try RawPersons.create(trial)
                    try trial.measure { try RawPersons.insert(0..<trial.count(persons), into: database) }
                    try RawPersons.read(database, into: &trial.digest)
                },
                Side("grdb-fast") { trial in
                    let queue = try GRDBPersons.create(trial)
                    try trial.measure { try GRDBPersons.insert(0..<trial.count(persons), into: queue) }
                    let rows = try queue.read {
                        try Row.fetchAll($0, sql: "SELECT surname, manager IS NULL FROM person")
                    }
                    for row in rows {
                        let surname: String = row[0]
                        trial.digest.add(Int64(surname.utf8.count) * 2 + row[1])
                    }
                },
                Side("firn") { trial in
                    let context = try FirnPersons.create(trial).newBackgroundContext()
                    try trial.measure {
                        try FirnPersons.insert(0..<trial.count(persons), into: context)
                        try FirnPersons.catchUpTables(context)
                    }
                    try context.performAndWait {
                        context.reset()
                        for person in try context.fetch(NSFetchRequest<Person>(entityName: "Person")) {
                            trial.digest.add(Int64(person.surname.utf8.count) * 2 + (person.manager == nil ? 1 : 0))
                        }
                    }
                },
            ])
    }

    static var fetchPersons: Workload {
        Workload(
            name: "fetch-persons", suite: .persons,
            summary: "fetch half of 50,000 persons by a predicate, sorted, with their managers; read every property",
            goals: [.time(atMost: 1, of: "grdb-fast")],
            sides: [
                Side("grdb-fast") { trial in
                    let queue = try GRDBPersons.create(trial)
                    try GRDBPersons.insert(0..<trial.count(persons), into: queue)
                    let columns = PersonData.columns.dropLast()
                    let own = columns.map { "p.\($0)" }.joined(separator: ", ")
                    let managers = columns.map { "m.\($0)" }.joined(separator: ", ")
                    let sql = """
                        SELECT \(own), \(managers) FROM person p JOIN person m ON m.id = p.manager
                        WHERE p.hired > ? ORDER BY p.surname
                        """
                    try trial.measure {
                        let found = try queue.read { database in
                            try Row.fetchCursor(database, sql: sql, arguments: [hiredAfter]).map { row in
                                (FastPerson(row: row), FastPerson(row: row, first: columns.count))
                            }.reduce(into: [(FastPerson, FastPerson)]()) { $0.append($1) }
                        }
                        for (person, manager) in found { trial.digest.add(person.digest &+ manager.digest &* 3) }
                    }
                },
                Side("firn") { trial in
                    try FirnPersons.insert(
                        0..<trial.count(persons), into: FirnPersons.create(trial).newBackgroundContext())
                    let context = try FirnPersons.create(trial).newBackgroundContext()
                    try FirnPersons.catchUpTables(context)
                    try FirnStores.rest(trial)
                    let request = NSFetchRequest<Person>(entityName: "Person")
                    request.predicate = NSPredicate(
                        format: "hired > %@ AND manager != nil",
                        Date(timeIntervalSinceReferenceDate: hiredAfter) as NSDate)
                    request.sortDescriptors = [NSSortDescriptor(key: "surname", ascending: true)]
                    request.relationshipKeyPathsForPrefetching = ["manager"]
                    request.returnsObjectsAsFaults = false
                    try context.performAndWait {
                        try trial.measure {
                            for person in try context.fetch(request) {
                                guard let manager = person.manager else { continue }
                                trial.digest.add(person.digest &+ manager.digest &* 3)
                            }
                        }
                    }
                },
            ])
    }

    static var walkPersons: Workload {
        Workload(
            name: "walk-persons", suite: .persons,
            summary: "fetch 5,000 managers with their 50,000 reports, and read two properties of each report",
            goals: [.time(atMost: 1, of: "grdb-fast")],
            sides: [
                Side("grdb-fast") { trial in
                    let queue = try GRDBPersons.create(trial)
                    try GRDBPersons.insert(0..<trial.count(persons), into: queue)
                    let columns = PersonData.columns.dropLast().map { "r.\($0)" }.joined(separator: ", ")
                    let sql = """
                        SELECT \(columns), m.id FROM person m JOIN person r ON r.manager = m.id
                        WHERE m.id <= ? ORDER BY m.id
                        """
                    let managers = trial.count(persons) / 10
                    try trial.measure {
                        let found = try queue.read { database in
                            var groups: [Int64: [FastPerson]] = [:]
                            let rows = try Row.fetchCursor(database, sql: sql, arguments: [managers])
                            while let row = try rows.next() {
                                groups[row[PersonData.columns.count - 1], default: []].append(FastPerson(row: row))
                            }
                            return groups
                        }
                        for reports in found.values {
                            for report in reports { trial.digest.add(walked(report.surname, report.hired)) }
                        }
                    }
                },
                Side("firn") { trial in
                    try FirnPersons.insert(
                        0..<trial.count(persons), into: FirnPersons.create(trial).newBackgroundContext())
                    let context = try FirnPersons.create(trial).newBackgroundContext()
                    try FirnPersons.catchUpTables(context)
                    try FirnStores.rest(trial)
                    let request = NSFetchRequest<Person>(entityName: "Person")
                    request.predicate = NSPredicate(format: "reports.@count > 0")
                    request.relationshipKeyPathsForPrefetching = ["reports"]
                    request.returnsObjectsAsFaults = false
                    try context.performAndWait {
                        try trial.measure {
                            for manager in try context.fetch(request) {
                                for report in manager.reports {
                                    trial.digest.add(
                                        walked(report.surname, report.hired.timeIntervalSinceReferenceDate))
                                }
                            }
                        }
                    }
                },
            ])
    }

    private static func walked(_ surname: String, _ hired: Double) -> Int64 {
        Int64(surname.utf8.count) &+ Int64(hired)
    }
}
