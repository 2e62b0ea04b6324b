import CoreData
import GRDB

/// Rows that are inserted without objects, and single rows that are looked up.
extension Workload {
    static var batchInsert: Workload {
        Workload(
            name: "batch-insert", suite: .items,
            summary: "insert 200,000 rows of ten integers by a batch insert request, synced",
            goals: [.time(atMost: 1.5, of: "raw")],
            sides: [
                Side("raw") { trial in
                    let database = try RawItems.create(trial)
                    try trial.measure { try RawItems.insert(0..<trial.count(200_000), into: database) }
                    try RawItems.read(database, into: &trial.digest)
                },
                Side("firn") { trial in
                    let container = try FirnItems.create(trial)
                    let context = container.newBackgroundContext()
                    let rows = 0..<trial.count(200_000)
                    let request = NSBatchInsertRequest(entityName: "Item", rows: rows) { row, values in
                        for (column, name) in ItemData.columns.enumerated() {
                            values.set(name, ItemData.value(row, column))
                        }
                    }
                    try trial.measure {
                        _ = try context.performAndWait { try context.execute(request) }
                        try FirnItems.catchUpTables(context)
                    }
                    try FirnItems.read(container, into: &trial.digest)
                },
            ])
    }

    static var findOne: Workload {
        Workload(
            name: "find-one", suite: .items,
            summary: "find one row by an indexed column, 50,000 times",
            goals: [.time(atMost: 1.2, of: "grdb-fast"), .time(atMost: 0.17, of: "grdb-reads")],
            sides: [
                Side("grdb-fast") { trial in
                    let rows = trial.count(50_000)
                    let queue = try GRDBItems.createIndexed(trial, rows)
                    try trial.measure {
                        try queue.read { database in
                            let finding = try FastItem.finding(database)
                            for row in 0..<rows { trial.digest.add(try FastItem.find(row, finding)?.sum ?? 0) }
                        }
                    }
                },
                // As a program does that has one row to find: a transaction for each.
                Side("grdb-reads") { trial in
                    let rows = trial.count(50_000)
                    let queue = try GRDBItems.createIndexed(trial, rows)
                    try trial.measure {
                        for row in 0..<rows {
                            let found = try queue.read { try FastItem.find(row, FastItem.finding($0)) }
                            trial.digest.add(found?.sum ?? 0)
                        }
                    }
                },
                Side("firn") { trial in
                    let rows = trial.count(50_000)
                    let container = try FirnItems.create(trial, isIndexed: true)
                    let context = container.newBackgroundContext()
                    try FirnItems.insert(0..<rows, into: context)
                    try FirnItems.catchUpTables(context)
                    try FirnStores.rest(trial)
                    let request = FirnItems.request()
                    request.fetchLimit = 1
                    request.returnsObjectsAsFaults = false
                    try trial.measure {
                        try context.performAndWait {
                            for row in 0..<rows {
                                request.predicate = NSPredicate(format: "a == %ld", ItemData.value(row, 0))
                                trial.digest.add(try context.fetch(request).first?.sum ?? 0)
                            }
                        }
                    }
                },
            ])
    }

    static var findCached: Workload {
        Workload(
            name: "find-cached", suite: .items,
            summary: "give 50,000 objects by their IDs that are in the row cache, one property read of each",
            goals: [.figure(name: "nanoseconds an object", atMost: 250)],
            sides: [
                Side("firn") { trial in
                    let rows = trial.count(50_000)
                    let container = try FirnItems.created(trial, rows: rows)
                    let warm = container.newBackgroundContext()
                    let request = FirnItems.request()
                    request.returnsObjectsAsFaults = false
                    let ids = try warm.performAndWait { try warm.fetch(request).map(\.objectID) }
                    let context = container.newBackgroundContext()
                    context.performAndWait {
                        trial.measure {
                            for id in ids {
                                guard let item = context.object(with: id) as? Item else { continue }
                                trial.digest.add(item.a)
                            }
                        }
                    }
                    trial.figures["nanoseconds an object"] = trial.seconds * 1e9 / Double(rows)
                }
            ])
    }
}
