public import CoreData
import FirnInspection
import FirnLog
import FirnProjection
import FirnStore

extension NSPersistentContainer {
    /// The saves since a point, as text for the message of a failed test.
    ///
    ///     record 12, by test, in the context view
    ///       created Book/7: title "Emma", pages 474
    ///       changed Book/3 “Persuasion”: pages 249 → 250
    ///
    /// Each save has its objects with their values; of more than 20 objects the numbers are said. An error is a line of
    /// the text. Unsaved changes are not in it.
    ///
    ///     #expect(total == 3, "\(container.changes())")       // Swift Testing
    ///     XCTAssertEqual(total, 3, container.changes())        // XCTest: made for a failure only
    ///
    /// - Parameter token: the saves after it are shown. Nil: those since the container was forked, or all if it is no
    ///   fork.
    public func changes(since token: NSPersistentHistoryToken? = nil) -> String {
        persistentStoreCoordinator.changes(since: token)
    }
}

extension NSPersistentStoreCoordinator {
    /// The saves since a point, as text; see `NSPersistentContainer.changes(since:)`.
    public func changes(since token: NSPersistentHistoryToken? = nil) -> String {
        let stores = persistentStores.compactMap { store in store.historyEngine.map { (store, $0) } }
        return stores.map { store, engine in
            let start = token?.positions[store.identifier] ?? LogPosition(engine.forkPoint ?? .zero)
            let text = engine.changes(after: start)
            return stores.count == 1 ? text : "Store \(store.configurationName):\n" + text
        }.joined(separator: "\n")
    }
}

extension StoreEngine {
    fileprivate func changes(after position: LogPosition) -> String {
        if !log.agrees(with: position) { return "The token, record \(position), is of another history of the store." }
        let start = position.sequence
        var lines: [String] = []
        do {
            if start < log.baseline { lines.append("Records up to \(log.baseline) were trimmed.") }
            try read { tables in
                var models = ModelLibrary(log)
                let records = try log.records(after: max(start, log.baseline))
                while let record = try records.next() {
                    guard case .changes(let changes) = record.body else { continue }
                    lines += RecordText(record, changes, try models.names(at: changes.model)) { key, slot in
                        guard changes.model == modelSequence else { return nil }
                        return (try? tables.value(of: key, slot: Int(slot))) ?? nil
                    }.lines
                }
            }
        } catch {
            lines.append("The changes cannot be read: \(error)")
        }
        return lines.isEmpty ? "Nothing was saved." : lines.joined(separator: "\n")
    }
}
