import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport

/// A closed store of the library whose files a test damages, and its files as they were.
final class StoreFolder {
    let directory: TemporaryDirectory
    var url: URL { directory.file("Library.sqlite") }
    var log: String { url.path + "-log" }
    private let files: [String: Data]

    /// - Parameter isTrimmed: whether a baseline stands in for the first save.
    init(isTrimmed: Bool = false) throws {
        directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        try LibraryObjects.save(in: coordinator)
        let context = coordinator.context()
        if isTrimmed {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let last = (result?.result as? [NSPersistentHistoryTransaction])?.last
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: last))
        }
        for store in coordinator.persistentStores {
            coordinator.setMetadata(["edition": 2, "list": ["a", 1]], for: store)
            _ = context.make("Tag", ["label": "last"])
            try context.save()
            try coordinator.remove(store)
        }
        OpenProjectors.catchUp()
        let log = try SegmentLog.open(directory: directory.path + "/Library.sqlite-log", forWriting: true)
        try log.store(
            Subscription(
                name: "mail", checkpoint: log.position(of: log.head), date: 1,
                deadLetters: [.init(sequence: log.head, date: 2, reason: "no")]))
        log.close()
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            files[name] = try? Data(contentsOf: directory.file(name))
        }
        self.files = files
    }

    /// The bytes of the store's own file, or of the log's file of that name or suffix, as they were.
    func bytes(_ suffix: String) -> [UInt8] { files.first { $0.key.hasSuffix(suffix) }.map { [UInt8]($0.value) } ?? [] }

    func path(_ suffix: String) -> URL {
        directory.file(files.keys.first { $0.hasSuffix(suffix) } ?? "Library.sqlite-log/" + suffix)
    }

    /// Puts all files where they were.
    func restore() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            try FileManager.default.removeItem(at: directory.file(name))
        }
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: directory.file(name)) }
    }

    func removeTables() {
        try? url.discardTables()
    }

    /// What programs do first: metadata, opening, reading, saving, verifying, erasing nothing.
    func use() throws {
        _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        _ = try? verify()
        try FirstUse.open(url, Library.model(), saving: "Tag")
        _ = try verify()
    }

    private func verify() throws -> Int {
        let log = try SegmentLog.open(directory: self.log, forWriting: false)
        defer { log.close() }
        _ = try? log.subscriptions()
        return try LogMaintenance(log).verify().problems.count
    }
}
