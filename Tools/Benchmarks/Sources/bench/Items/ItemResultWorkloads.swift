import CoreData

/// The other things that a fetch can give, and changes of many rows.
extension Workload {
    /// Reads three columns, and retains nothing.
    private static var rawColumns: Side {
        Side("raw") { trial in
            let database = try RawItems.created(trial, rows: trial.count(200_000))
            try trial.measure {
                let statement = try database.prepare("SELECT a, b, c FROM item")
                while try statement.step() {
                    trial.digest.add(statement.integer(0) &+ statement.integer(1) &+ statement.integer(2))
                }
            }
        }
    }

    static var dictionaries: Workload {
        Workload(
            name: "fetch-dictionaries", suite: .items,
            summary: "fetch three columns of 200,000 rows as dictionaries and read them",
            goals: [.time(atMost: 8, of: "raw")],
            sides: [
                rawColumns,
                Side("firn") { trial in
                    let container = try FirnItems.created(trial, rows: trial.count(200_000))
                    let context = container.newBackgroundContext()
                    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
                    request.resultType = .dictionaryResultType
                    request.propertiesToFetch = ["a", "b", "c"]
                    try trial.measure {
                        try context.performAndWait {
                            for row in try context.fetch(request) {
                                let a = (row["a"] as? NSNumber)?.int64Value ?? 0
                                let b = (row["b"] as? NSNumber)?.int64Value ?? 0
                                let c = (row["c"] as? NSNumber)?.int64Value ?? 0
                                trial.digest.add(a &+ b &+ c)
                            }
                        }
                    }
                },
            ])
    }

    static var rows: Workload {
        Workload(
            name: "rows", suite: .items, summary: "fetch three columns of 200,000 rows as Swift values and read them",
            goals: [.time(atMost: 1.2, of: "raw")],
            sides: [
                rawColumns,
                Side("raw-array") { trial in
                    let database = try RawItems.created(trial, rows: trial.count(200_000))
                    try trial.measure {
                        let statement = try database.prepare("SELECT a, b, c FROM item")
                        var rows: [(Int64, Int64, Int64)] = []
                        while try statement.step() {
                            rows.append((statement.integer(0), statement.integer(1), statement.integer(2)))
                        }
                        for (a, b, c) in rows { trial.digest.add(a &+ b &+ c) }
                    }
                },
                Side("grdb-fast") { trial in
                    let queue = try GRDBItems.create(trial)
                    try GRDBItems.insertFast(0..<trial.count(200_000), into: queue)
                    try trial.measure {
                        let rows = try queue.read { database in
                            try ThreeColumns.fetchAll(database, sql: "SELECT a, b, c FROM item")
                        }
                        for row in rows { trial.digest.add(row.a &+ row.b &+ row.c) }
                    }
                },
                Side("firn") { trial in
                    let container = try FirnItems.created(trial, rows: trial.count(200_000))
                    let context = container.newBackgroundContext()
                    try trial.measure {
                        let rows = try context.performAndWait { try context.rows(of: Item.self, \.a, \.b, \.c) }
                        for (a, b, c) in rows { trial.digest.add(a &+ b &+ c) }
                    }
                },
            ])
    }

    static var objectIDs: Workload {
        Workload(
            name: "fetch-ids", suite: .items, summary: "fetch the IDs of 200,000 rows",
            goals: [.time(atMost: 2, of: "raw")],
            sides: [
                Side("raw") { trial in
                    let database = try RawItems.created(trial, rows: trial.count(200_000))
                    var keys: [Int64] = []
                    try trial.measure {
                        let statement = try database.prepare("SELECT id FROM item")
                        while try statement.step() { keys.append(statement.integer(0)) }
                    }
                    trial.digest.add(Int64(keys.count))
                },
                Side("firn") { trial in
                    let container = try FirnItems.created(trial, rows: trial.count(200_000))
                    let context = container.newBackgroundContext()
                    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Item")
                    request.resultType = .managedObjectIDResultType
                    let ids = try trial.measure { try context.performAndWait { try context.fetch(request) } }
                    trial.digest.add(Int64(ids.count))
                },
            ])
    }

    static var count: Workload {
        Workload(
            name: "count", suite: .items, summary: "count the rows that meet a condition, 100 times",
            goals: [.time(atMost: 2, of: "raw")],
            sides: [
                Side("raw") { trial in
                    let database = try RawItems.created(trial, rows: trial.count(200_000))
                    try trial.measure {
                        let statement = try database.prepare("SELECT count(*) FROM item WHERE a > ?")
                        for limit in 0..<100 {
                            statement.bind(Int64(limit), 1)
                            _ = try statement.step()
                            trial.digest.add(statement.integer(0))
                            statement.reset()
                        }
                    }
                },
                Side("firn") { trial in
                    let container = try FirnItems.created(trial, rows: trial.count(200_000))
                    let context = container.newBackgroundContext()
                    try trial.measure {
                        try context.performAndWait {
                            for limit in 0..<100 {
                                let request = FirnItems.request()
                                request.predicate = NSPredicate(format: "a > %d", limit)
                                trial.digest.add(Int64(try context.count(for: request)))
                            }
                        }
                    }
                },
            ])
    }

    static var updateItems: Workload {
        Workload(
            name: "update-items", suite: .items,
            summary: "change one property of 100,000 fetched objects, one transaction, synced",
            goals: [.time(atMost: 2.5, of: "raw")],
            sides: [
                Side("raw") { trial in
                    let rows = trial.count(100_000)
                    let database = try RawItems.created(trial, rows: rows)
                    try trial.measure {
                        let statement = try database.prepare("UPDATE item SET c = ? WHERE id = ?")
                        try database.transaction {
                            for row in 0..<rows {
                                statement.bind(Int64(row), 1)
                                statement.bind(Int64(row + 1), 2)
                                try statement.run()
                            }
                        }
                    }
                    try RawItems.read(database, into: &trial.digest)
                },
                Side("firn") { trial in
                    let rows = trial.count(100_000)
                    let container = try FirnItems.created(trial, rows: rows)
                    let context = container.newBackgroundContext()
                    try context.performAndWait {
                        let request = FirnItems.request()
                        request.returnsObjectsAsFaults = false
                        let items = try context.fetch(request).sorted { $0.number < $1.number }
                        try trial.measure {
                            for (row, item) in items.enumerated() { item.c = Int64(row) }
                            try context.save()
                            try FirnItems.catchUpTables(context)
                        }
                    }
                    try FirnItems.read(container, into: &trial.digest)
                },
            ])
    }
}
