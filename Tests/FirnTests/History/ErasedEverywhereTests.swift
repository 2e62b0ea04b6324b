import CoreDataExtras
import Firn
import FirnLog
import FirnModel
import Foundation
import TestSupport
import Testing

/// The titles of all photos, as an application's own tables keep them.
private struct Titles: TableProjection {
    let version = 1

    func createTables(in tables: ProjectionTables) throws {
        try tables.execute("CREATE TABLE titles(title TEXT)")
    }

    func apply(_ transaction: NSPersistentHistoryTransaction, to tables: ProjectionTables) throws {
        for change in transaction.changes ?? [] { try add(change.newValues["title"], to: tables) }
    }

    func begin(with state: NSManagedObjectContext, in tables: ProjectionTables) throws {
        try state.performAndWait {
            for photo in try state.all("Photo") { try add(photo.text("title"), to: tables) }
        }
    }

    private func add(_ title: Any?, to tables: ProjectionTables) throws {
        guard let title = title as? String else { return }
        try tables.execute("INSERT INTO titles VALUES (?1)", [.text(title)])
    }
}

@Suite("A value that is erased")
struct ErasedEverywhereTests {
    private static let secret = "xyzzy-nobody-may-know"
    private let photos: PhotoStore

    init() throws { photos = try PhotoStore() }

    /// The files below the store's folder that have the secret, by their kind.
    private func traces() throws -> Set<String> {
        var found: Set<String> = []
        let files = FileManager.default.enumerator(at: photos.directory.url, includingPropertiesForKeys: nil)
        for case let file as URL in files?.allObjects ?? [] where !file.hasDirectoryPath {
            guard try Data(contentsOf: file).range(of: Data(Self.secret.utf8)) != nil else { continue }
            let isValue = file.deletingLastPathComponent().lastPathComponent == "external"
            found.insert(isValue ? "value" : file.pathExtension)
        }
        return found
    }

    /// The records that say it, the baseline's among them.
    private func records() throws -> [SequenceNumber] {
        let log = try SegmentLog.open(directory: photos.url.path + "-log", forWriting: false)
        let replay = try log.replay()
        var found: [SequenceNumber] = []
        while let record = try replay.next() {
            if record.holds(Self.secret) { found.append(record.sequence) }
        }
        return found
    }

    private func withLog(_ body: (SegmentLog) throws -> Void) throws {
        let log = try SegmentLog.open(directory: photos.url.path + "-log", forWriting: true)
        try body(log)
        log.close()
    }

    @Test("is in no file: log, baseline, dictionary, tables, large values, the past, dead letters, projections")
    func everywhere() throws {
        let noise = (0..<300).map { _ in String(Int.random(in: 0..<10)) }.joined()
        let photo = try photos.add(Self.secret + noise, Data((Self.secret + noise).utf8) + PhotoStore.bytes(1))
        _ = try photos.add("other", nil)
        try photos.coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        try withLog { log in
            let isAdopted = try LogMaintenance(log).adopt(dictionary: Array((Self.secret + noise).utf8))
            #expect(isAdopted)
        }
        for number in 0..<3 {
            photo.setValue(Self.secret + " \(number) " + String(noise.reversed()), forKey: "title")
            try photos.context.save()
        }
        let projector = try TableProjector(
            Titles(), of: photos.coordinator, at: photos.directory.file("Titles.projection"))
        try projector.catchUp()
        try withLog { log in
            let letter = Subscription.DeadLetter(sequence: log.head, date: 1, reason: "no such title: " + Self.secret)
            let place = log.position(of: log.head)
            try log.store(Subscription(name: "mail", checkpoint: place, date: 1, deadLetters: [letter]))
        }
        let past = try photos.coordinator.newContext(asOf: .sequence(4))
        let pastCount = try past.performAndWait { try past.all("Photo").count }
        #expect(pastCount == 2)
        let before = try traces()
        // In segments and baselines it stands compressed: there the log is asked.
        #expect(before.isSuperset(of: ["dictionary", "value", "subscription", "projection"]), "\(before)")
        #expect(try records().count > 3)
        try photos.coordinator.erase(photo.objectID)
        try projector.catchUp()
        #expect(try traces() == [])
        #expect(try records() == [])
        #expect(try PhotoStore.problems(photos.url) == [])
        let titles = try projector.read { tables in try tables.rows("SELECT title FROM titles") }
        #expect(titles == [[.text("other")]])
    }
}

extension LogRecord {
    /// Whether a text or blob of the record has these bytes.
    func holds(_ text: String) -> Bool {
        let changes: ChangeSet?
        switch body {
        case .changes(let made): changes = made
        case .baseline(.rows(let rows, _)): changes = rows
        default: changes = nil
        }
        return (changes?.groups ?? []).flatMap { $0.new + $0.old }.contains { column in
            (0..<column.count).contains { row in
                switch column[row] {
                case .text(let value): value.contains(text)
                case .blob(let bytes): Data(bytes).range(of: Data(text.utf8)) != nil
                default: false
                }
            }
        }
    }
}
