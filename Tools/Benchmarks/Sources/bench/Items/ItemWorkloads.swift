import CoreData
import GRDB

/// Reading and writing many rows of ten integers.
extension Workload {
    static var insertItems: Workload { Workload(
        name: "insert-items", suite: .items,
        summary: "insert 200,000 rows of ten integers, one transaction, synced",
        goals: [
            .time(atMost: 1.5, of: "raw"), .time(atMost: 0.4, of: "grdb-codable"),
            .time(atMost: 0.2, of: "grdb-audit"),
        ],
        sides: [
            Side("raw") { trial in
                let database = try RawItems.create(trial)
                try trial.measure { try RawItems.insert(0..<trial.count(200_000), into: database) }
                try RawItems.read(database, into: &trial.digest)
            },
            Side("grdb-fast") { trial in
                let queue = try GRDBItems.create(trial)
                try trial.measure { try GRDBItems.insertFast(0..<trial.count(200_000), into: queue) }
                try GRDBItems.readFast(queue, into: &trial.digest)
            },
            Side("grdb-codable") { trial in
                let queue = try GRDBItems.create(trial)
                try trial.measure { try GRDBItems.insertCodable(0..<trial.count(200_000), into: queue) }
                try GRDBItems.readFast(queue, into: &trial.digest)
            },
            Side("grdb-audit") { trial in
                let queue = try GRDBItems.create(trial)
                try queue.write {
                    try $0.execute(sql: AuditTriggers.sql(table: "item", columns: ItemData.columns))
                }
                try trial.measure { try GRDBItems.insertCodable(0..<trial.count(200_000), into: queue) }
                try GRDBItems.readFast(queue, into: &trial.digest)
            },
            Side("firn") { trial in
                let container = try FirnItems.create(trial)
                let context = container.newBackgroundContext()
                try trial.measure {
                    try FirnItems.insert(0..<trial.count(200_000), into: context)
                    try FirnItems.catchUpTables(context)
                }
                try FirnItems.read(container, into: &trial.digest)
            },
        ]) }

    static var fetchItems: Workload { Workload(
        name: "fetch-items", suite: .items,
        summary: "fetch 200,000 rows of ten integers and read every property",
        goals: [.time(atMost: 1, of: "grdb-fast"), .time(atMost: 0.6, of: "grdb-codable")],
        sides: [
            Side("raw") { trial in
                let database = try RawItems.create(trial)
                try RawItems.insert(0..<trial.count(200_000), into: database)
                try trial.measure { try RawItems.read(database, into: &trial.digest) }
            },
            Side("grdb-fast") { trial in
                let queue = try GRDBItems.create(trial)
                try GRDBItems.insertFast(0..<trial.count(200_000), into: queue)
                try trial.measure { try GRDBItems.readFast(queue, into: &trial.digest) }
            },
            Side("grdb-codable") { trial in
                let queue = try GRDBItems.create(trial)
                try GRDBItems.insertFast(0..<trial.count(200_000), into: queue)
                try trial.measure { try GRDBItems.readCodable(queue, into: &trial.digest) }
            },
            Side("firn") { trial in
                try FirnItems.insert(
                    0..<trial.count(200_000), into: FirnItems.create(trial).newBackgroundContext())
                let container = try FirnItems.create(trial)
                try FirnItems.catchUpTables(container.newBackgroundContext())
                try FirnStores.rest(trial)
                try trial.measure { try FirnItems.read(container, into: &trial.digest) }
            },
        ]) }
}
