import CoreData

/// Whether a store slows down as it grows.
extension Workload {
    static var fiftyMillion: Workload {
        Workload(
            name: "fifty-million", suite: .long,
            summary: "insert 50 million rows of ten integers in saves of 1,000, then change 150 million in batches",
            goals: [
                .figureAtLeast(name: "last million's rate / first's", 0.9),
                .figure(name: "last million's peak memory / first's", atMost: 1.2),
                .figure(name: "milliseconds to open", atMost: 50),
                .figure(name: "a find / with a million", atMost: 1.2),
                .figure(name: "a page / with a million", atMost: 1.2),
            ],
            sides: [Side("firn", growing)]
        )
    }

    private static func growing(_ trial: Trial) throws {
        let (million, millions) = (trial.count(1_000_000), 50)
        let context = try FirnItems.create(trial, isIndexed: true).newBackgroundContext()
        var inserted: [MeasuredPart] = []
        var found: [Double] = []
        var paged: [Double] = []
        for part in 0..<millions {
            inserted.append(
                try trial.part {
                    for first in stride(from: part * million, to: (part + 1) * million, by: 1_000) {
                        try insert(first..<first + 1_000, into: context)
                    }
                    try FirnItems.catchUpTables(context)
                })
            if part == 0 || part == millions - 1 {
                let rows = (part + 1) * million
                found.append(try lookups(of: rows, in: context, trial))
                paged.append(try pages(of: rows, in: context, trial))
            }
        }
        trial.compare("last million's", inserted[millions - 1], "first's", inserted[0])
        trial.figures["rows a second, first million"] = Double(million) / inserted[0].seconds
        trial.figures["a find / with a million"] = found[1] / found[0]
        trial.figures["microseconds a find"] = found[1] * 1e6
        trial.figures["a page / with a million"] = paged[1] / paged[0]
        trial.figures["microseconds a page"] = paged[1] * 1e6

        let slice = max(million / 100, 1)
        var updated: [MeasuredPart] = []
        for pass in 0..<3 {
            for part in 0..<millions {
                updated.append(
                    try trial.part {
                        for first in stride(from: part * million, to: (part + 1) * million, by: slice) {
                            try update(first..<first + slice, to: pass, context)
                        }
                        try FirnItems.catchUpTables(context)
                    })
            }
        }
        trial.compare("last million updates'", updated[updated.count - 1], "first's", updated[0])
        trial.figures["updates a second, last million"] = Double(million) / updated[updated.count - 1].seconds
        let count = try context.performAndWait { try context.count(for: FirnItems.request()) }
        trial.digest.add(Int64(count))

        guard let coordinator = context.persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let start = ContinuousClock.now
        let opened = try FirnItems.create(trial, isIndexed: true).newBackgroundContext()
        try FirnItems.catchUpTables(opened)
        trial.figures["milliseconds to open"] = (ContinuousClock.now - start) / .milliseconds(1)
    }

    /// Gives the seconds of one find by the index, of a thousand that are spread over all rows, when their pages have
    /// been read from the disk.
    private static func lookups(of rows: Int, in context: NSManagedObjectContext, _ trial: Trial) throws -> Double {
        try median(of: 5) {
            let request = FirnItems.request()
            request.fetchLimit = 1
            try context.performAndWait {
                for find in 0..<1_000 {
                    let row = find * 7_919 % 1_000 * (rows / 1_000)
                    request.predicate = NSPredicate(format: "a == %ld", row)
                    trial.digest.add(try context.fetch(request).first?.sum ?? 0)
                }
                context.reset()
            }
        } / 1_000
    }

    /// Gives the seconds of a page of 20 rows by the index, of a hundred that are spread over all rows.
    private static func pages(of rows: Int, in context: NSManagedObjectContext, _ trial: Trial) throws -> Double {
        try median(of: 5) {
            let request = FirnItems.request()
            request.fetchLimit = 20
            request.sortDescriptors = [NSSortDescriptor(key: "a", ascending: true)]
            try context.performAndWait {
                for page in 0..<100 {
                    let lower = page * 104_729 % rows
                    request.predicate = NSPredicate(format: "a >= %ld", lower)
                    trial.digest.add(try context.fetch(request).first?.sum ?? 0)
                }
                context.reset()
            }
        } / 100
    }

    private static func median(of rounds: Int, _ body: () throws -> Void) rethrows -> Double {
        var seconds: [Double] = []
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            try body()
            seconds.append((ContinuousClock.now - start) / .seconds(1))
        }
        return seconds.sorted()[rounds / 2]
    }

    /// Inserts rows whose indexed `a` grows, as the dates of a log do.
    private static func insert(_ rows: Range<Int>, into context: NSManagedObjectContext) throws {
        try context.performAndWait {
            for row in rows {
                let item = Item(context: context)
                item.fill(row)
                item.a = Int64(row)
            }
            try context.save()
            context.reset()
        }
    }

    private static func update(_ rows: Range<Int>, to value: Int, _ context: NSManagedObjectContext) throws {
        let request = NSBatchUpdateRequest(entityName: "Item")
        request.predicate = NSPredicate(format: "a >= %ld AND a < %ld", rows.lowerBound, rows.upperBound)
        request.propertiesToUpdate = ["b": value]
        _ = try context.performAndWait { try context.execute(request) }
    }
}

/// Time and memory of a part of a trial.
private struct MeasuredPart {
    let seconds: Double
    let peakBytes: Double
}

extension Trial {
    /// Measures a part, and says what it took: there are two hundred, of some seconds each.
    fileprivate func part(_ body: () throws -> Void) rethrows -> MeasuredPart {
        let start = seconds
        try measure(body)
        let part = MeasuredPart(seconds: seconds - start, peakBytes: Double(Memory.peak()))
        FileHandle.standardError.write(Data("\(part.seconds) s, \(part.peakBytes / 1e6) MB\n".utf8))
        return part
    }

    fileprivate func compare(_ last: String, _ part: MeasuredPart, _ first: String, _ other: MeasuredPart) {
        figures["\(last) rate / \(first)"] = other.seconds / part.seconds
        figures["\(last) peak memory / \(first)"] = part.peakBytes / other.peakBytes
    }
}
