import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import FirnSQLite
import Foundation

/// Writes the log of a store that is imported: model, what was there before history, the transactions, the keys.
struct ImportWriter {
    private let log: SegmentLog
    private let file: AppleStoreFile
    private let rows: AppleRowReader
    private let progress: (@Sendable (Double) throws -> Void)?
    private var report: AppleStoreImport.Report

    private var layout: AppleLayout { rows.layout }

    init(
        site: ImportSite, file: AppleStoreFile, rows: AppleRowReader,
        progress: (@Sendable (Double) throws -> Void)?
    ) throws {
        self.file = file
        self.rows = rows
        self.progress = progress
        report = AppleStoreImport.Report(storeID: file.identifier)
        guard let storeID = StoreID(uuidString: file.identifier.uuidString) else {
            fatalError("a UUID prints as one")
        }
        do {
            log = try SegmentLog.create(
                directory: site.logDirectory, storeID: storeID, options: LogOptions(durability: .system),
                date: SystemClock.now())
        } catch {
            throw ImportSite.unwritable(site.logDirectory, error)
        }
    }

    /// Writes everything and syncs it. The log is closed then.
    mutating func write(_ timeline: ImportTimeline) throws -> AppleStoreImport.Report {
        defer { log.close() }
        do {
            try log.exclusively {
                try file.reading { try append(timeline) }
                let path = file.url.path
                try log.store(attachment: StoreMetadata.encoded(file.applicationMetadata, path: path))
                try log.sync(through: log.head)
                report.head = log.head.rawValue
            }
        } catch let error as LogError {
            throw ImportSite.unwritable(log.directory, error)
        }
        report.externalValueCount = rows.externalValueCount
        report.changeCount = timeline.changeCount
        return report
    }

    private mutating func append(_ timeline: ImportTimeline) throws {
        let first = header(of: timeline)
        let model = try log.append(.model(layout.schema.logModel), header: first)
        let links = try AppleLinks(rows: rows, timeline: timeline)
        report.linkCount = links.count
        var values = ImportedValues(rows: rows, timeline: timeline)
        var lastKeys: [EntityNumber: Int64] = [:]
        let rowCount = max(timeline.steps.reduce(0) { $0 + $1.inserted.count }, 1)
        var done = 0
        let (layout, log) = (layout, log)
        for (index, step) in timeline.steps.enumerated() {
            var builder = ImportedRecord(model: model) { changes in
                var changes = changes
                try changes.moveLargeValues(into: log) { layout.place($0)?.entity.layout }
                _ = try log.append(.changes(changes), header: step.transaction?.header ?? first.withOwnID)
            }
            for key in step.inserted {
                try builder.insert(key, values.inserted(key, at: index), layout)
                advance(key, in: &lastKeys)
                done += 1
                if done % 1000 == 0 { try progress?(0.9 * Double(done) / Double(rowCount)) }
            }
            for update in try values.updates(at: index) { try builder.update(update, layout) }
            for key in step.deleted { try builder.delete(key, timeline.tombstones[key] ?? [:], layout) }
            try builder.finish(links.groups(at: index))
            if step.transaction != nil { report.transactionCount += 1 }
        }
        for stored in file.entities {
            guard let place = layout.place(appleNumber: stored.number) else { continue }
            lastKeys[place.root] = max(lastKeys[place.root] ?? 0, stored.lastKey)
        }
        try log.append(.reservation(lastKeys), header: first.withOwnID)
        try progress?(0.9)
    }

    private mutating func advance(_ key: ObjectKey, in lastKeys: inout [EntityNumber: Int64]) {
        guard let place = layout.place(key.entity) else { return }
        lastKeys[place.root] = max(lastKeys[place.root] ?? 0, key.primaryKey)
        report.objectCounts[place.entity.name ?? "", default: 0] += 1
    }

    /// Of records that no transaction stands for: the first transaction's date, since nothing may be older.
    private func header(of timeline: ImportTimeline) -> TransactionHeader {
        let date = timeline.steps.dropFirst().first?.transaction?.date
        return TransactionHeader(
            date: date ?? SystemClock.now(), id: .random(),
            processName: ProcessInfo.processInfo.processName,
            processID: ProcessInfo.processInfo.processIdentifier, bundleID: Bundle.main.bundleIdentifier,
            metadata: ["importedFrom": file.url.lastPathComponent])
    }
}

extension TransactionHeader {
    fileprivate var withOwnID: TransactionHeader {
        var header = self
        header.id = .random()
        return header
    }
}
