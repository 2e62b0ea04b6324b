import ArgumentParser
import Firn
import FirnInspection
import FirnLog
import FirnModel
import FirnStore
import Foundation
import Synchronization

/// `firn trim`: old history goes, the state that it made stays.
struct Trim: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deletes old history.",
        discussion: """
            A baseline replaces the deleted records: the whole state after the last of them. The tables can be built \
            from it. A record stays while it is within every limit that is given. What a subscription has not seen \
            stays too, unless --ignore-subscriptions is given. Programs may use the store meanwhile. --before deletes \
            the records before a point: of a time those that are earlier. \(Point.help)
            """)

    @OptionGroup var options: StoreOptions
    @Option(parsing: .unconditional, help: ArgumentHelp("Keep at most this number of change sets.", valueName: "count"))
    var keep: Int?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Keep what is younger than this number of days.", valueName: "days"))
    var days: Double?
    @Option(help: ArgumentHelp("Keep this record and later ones.", valueName: "point"), transform: Point.parse)
    var before: Point?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Keep at most this number of bytes of change sets.", valueName: "bytes"))
    var bytes: Int?
    @Flag(help: "Delete also what a subscription has not seen.") var ignoreSubscriptions = false
    @Flag(help: "Write one JSON object.") var json = false

    func validate() throws {
        guard keep != nil || days != nil || bytes != nil || before != nil else {
            throw ValidationError("Say what to keep: --before, --keep, --days or --bytes.")
        }
        guard keep ?? 0 >= 0, days ?? 0 >= 0, bytes ?? 0 >= 0 else {
            throw ValidationError("What to keep cannot be less than nothing.")
        }
    }

    func run() throws {
        var retention = HistoryRetention(
            ageMax: days.map { $0 * 86_400 }, transactionCountMax: keep, byteCountMax: bytes)
        if let before {
            let log = try options.openLog()
            defer { log.close() }
            retention.first = try before.explained(in: log).first(in: log, of: options.path)
        }
        let coordinator = try options.openCoordinator()
        try coordinator.trimHistory(keeping: retention, ignoringSubscriptions: ignoreSubscriptions)
        let log = try options.openLog()
        let rest = log.head < log.first ? "none are left" : "records \(log.first) to \(log.head) are left"
        let (baseline, head) = (log.baseline.rawValue, log.head.rawValue)
        let line =
            log.baseline == .zero
            ? "nothing to delete; records 1 to \(log.head)" : "the records up to \(log.baseline) are gone; \(rest)"
        Output.write(
            ["store": .text(options.path), "baseline": .number(baseline), "head": .number(head)], asJSON: json,
            ["\(options.path): \(line)"])
    }
}

extension StoreOptions {
    /// The store as a program opens it, with the model that its log carries.
    func openCoordinator() throws -> NSPersistentStoreCoordinator {
        let log = try openLog()
        guard let (sequence, described) = try log.currentModel else {
            throw Failure("\(path): the log has no model yet, so nothing was saved in it")
        }
        log.close()
        let model = try NSManagedObjectModel.load(
            document: described.document, name: "\(path), record \(sequence)"
        ).model
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let progress = Mutex(Progress("opening: per mille"))
        defer { progress.withLock { $0.finish() } }
        let listener = OpeningProgress { fraction in
            progress.withLock { $0.update(UInt64(fraction * 1000), of: 1000) }
        }
        do {
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: false),
                    PersistentStoreOpeningProgressOption: listener,
                    PersistentStoreMissingTablesOption: MissingTables.rebuild.rawValue,
                ])
        } catch let error as NSError {
            throw Failure(error.localizedDescription)
        }
        return coordinator
    }
}
