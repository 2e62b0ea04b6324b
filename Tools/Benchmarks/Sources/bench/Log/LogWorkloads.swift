import CoreData
import FirnLog
import Foundation

/// Reading the log, and making tables from it.
extension Workload {
    static var rebuild: Workload {
        Workload(
            name: "rebuild", suite: .log,
            summary: "make the tables of 200,000 rows of ten integers from the log",
            goals: [.time(atMost: 1.5, of: "raw")],
            sides: [
                Side("raw") { trial in
                    let database = try RawItems.create(trial)
                    try trial.measure { try RawItems.insert(0..<trial.count(200_000), into: database) }
                    try RawItems.read(database, into: &trial.digest)
                },
                Side("firn") { trial in
                    try fill(trial, rows: trial.count(200_000), each: trial.count(200_000))
                    for name in ["firn.sqlite", "firn.sqlite-wal", "firn.sqlite-shm"] {
                        try? FileManager.default.removeItem(atPath: trial.path(name))
                    }
                    // Opening finds an empty file, and makes the tables; without a file the store would be a new one.
                    try Data().write(to: URL(fileURLWithPath: trial.path("firn.sqlite")))
                    let container = try trial.measure { try FirnItems.create(trial) }
                    try FirnItems.read(container, into: &trial.digest)
                },
            ])
    }

    static var readLog: Workload {
        Workload(
            name: "read-log", suite: .log,
            summary: "decode every change set of 200 saves of 1,000 rows of ten integers",
            goals: [.figureAtLeast(name: "million property changes a second", 5)],
            sides: [
                Side("firn") { trial in
                    try fill(trial, rows: trial.count(200_000), each: 1_000)
                    let log = try SegmentLog.open(directory: trial.path("firn.sqlite-log"), forWriting: false)
                    var changes = 0
                    try trial.measure {
                        let reader = try log.records(after: .zero)
                        while let record = try reader.next() {
                            guard case .changes(let set) = record.body else { continue }
                            for group in set.groups { changes += group.primaryKeys.count * group.slots.count }
                        }
                    }
                    trial.digest.add(Int64(changes))
                    trial.figures["million property changes a second"] = Double(changes) / trial.seconds / 1e6
                }
            ])
    }

    /// How opening grows with the log: a tenth of the saves, and all of them.
    static var openLog: Workload {
        Workload(
            name: "open-log", suite: .long,
            summary: "open a store of 1,000,000 change sets of one row each, closed before",
            goals: [.figure(name: "milliseconds", atMost: 50)],
            sides: [
                Side("tenth") { try open($0, saves: $0.count(100_000)) },
                Side("firn") { try open($0, saves: $0.count(1_000_000)) },
            ])
    }

    private static func open(_ trial: Trial, saves: Int) throws {
        try fill(trial, rows: saves, each: 1, durability: .bounded(microseconds: 1_000_000))
        let container = try trial.measure { try FirnItems.create(trial) }
        trial.figures["milliseconds"] = trial.seconds * 1e3
        withExtendedLifetime(container) {}
    }

    /// Saves rows, and closes the store.
    private static func fill(_ trial: Trial, rows: Int, each: Int, durability: Durability? = nil) throws {
        let container = try FirnItems.create(trial, durability: durability)
        let context = container.newBackgroundContext()
        for start in stride(from: 0, to: rows, by: each) {
            try FirnItems.insert(start..<min(start + each, rows), into: context)
            context.performAndWait { context.reset() }
        }
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }
}
