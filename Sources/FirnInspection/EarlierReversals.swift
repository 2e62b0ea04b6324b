import Firn
import FirnModel

/// The later saves that brought deleted objects back. Each says in its metadata what it put back: the objects have new
/// keys, so that nothing else tells that they are there again.
struct EarlierReversals {
    private static let recordKey = "reverts"
    private static let objectKey = "restores"
    private static let namedMax = 3

    /// The record that deleted the objects; nil if none is known.
    private var deletion: Int64?
    /// By record, the last save that undid it.
    private var undone: [Int64: NSPersistentHistoryTransaction] = [:]
    private var found: [NSPersistentHistoryTransaction] = []

    static func metadata(ofRecord number: Int64) -> [String: String] { [recordKey: "\(number)"] }
    static func metadata(ofObject name: String) -> [String: String] { [objectKey: name] }

    /// Reads the history after a record.
    ///
    /// - Parameters:
    ///   - objects: the names of those that shall come back.
    ///   - deletion: the record that deleted them; nil to look for the last one.
    init(
        of objects: Set<String>, deletedBy deletion: Int64?, after number: Int64, in store: NSPersistentStore,
        of coordinator: NSPersistentStoreCoordinator
    ) throws {
        self.deletion = deletion
        var range = HistoryRange()
        range.stores = [store.identifier]
        range.first = number + 1
        var noted: [NSPersistentHistoryTransaction] = []
        try coordinator.readHistory(range) { transaction in
            let metadata = transaction.metadata
            if metadata[Self.recordKey] != nil || metadata[Self.objectKey] != nil { noted.append(transaction) }
            if deletion == nil, Self.deletes(objects, transaction) { self.deletion = transaction.transactionNumber }
            return true
        }
        var restored: [String: NSPersistentHistoryTransaction] = [:]
        // A save was undone by later ones alone.
        for transaction in noted.reversed() where undone[transaction.transactionNumber] == nil {
            let metadata = transaction.metadata
            if let number = metadata[Self.recordKey].flatMap({ Int64($0) }) {
                undone[number] = undone[number] ?? transaction
            }
            if let object = metadata[Self.objectKey] { restored[object] = restored[object] ?? transaction }
        }
        found = [reversal].compactMap(\.self) + objects.compactMap { restored[$0] }
    }

    private static func deletes(_ objects: Set<String>, _ transaction: NSPersistentHistoryTransaction) -> Bool {
        (transaction.changes ?? []).contains {
            $0.changeType == .delete && objects.contains(Reversal.name($0.changedObjectID))
        }
    }

    /// The save that undid the deletion; nil if none did.
    private var reversal: NSPersistentHistoryTransaction? { deletion.flatMap { undone[$0] } }

    /// The words for a record that was undone; nil for one that was not.
    var words: String? { reversal.map { "record \($0.transactionNumber) undid it already" } }

    /// Why the objects would be there twice; nil if they would not.
    func obstacle(in context: NSManagedObjectContext) throws -> String? {
        for transaction in found {
            let inserted = (transaction.changes ?? []).filter { $0.changeType == .insert }.map(\.changedObjectID)
            let present = try inserted.filter { try context.objectInStore($0)?.isDeleted == false }
            if present.isEmpty { continue }
            let names = present.prefix(Self.namedMax).map(Reversal.name).joined(separator: ", ")
            let rest = present.count - Self.namedMax
            return "record \(transaction.transactionNumber) put it back already, as \(names)"
                + (rest > 0 ? " and \(rest) more" : "")
        }
        return nil
    }
}
