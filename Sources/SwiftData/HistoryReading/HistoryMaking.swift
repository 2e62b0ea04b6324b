#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import Foundation

/// Makes transactions of a container's history from those of Core Data's.
struct HistoryMaking {
    let container: ModelContainer

    /// All but the changes.
    func head(of transaction: NSPersistentHistoryTransaction) -> DefaultHistoryTransaction {
        make(transaction, changes: [])
    }

    func transaction(_ transaction: NSPersistentHistoryTransaction) -> DefaultHistoryTransaction {
        make(
            transaction,
            changes: (transaction.changes ?? []).compactMap { change($0, transaction.transactionNumber) })
    }

    private func make(
        _ transaction: NSPersistentHistoryTransaction, changes: [HistoryChange]
    ) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            timestamp: transaction.timestamp, changes: changes,
            token: DefaultHistoryToken(transaction.token),
            transactionIdentifier: transaction.transactionNumber, storeIdentifier: transaction.storeID,
            bundleIdentifier: transaction.bundleID, processIdentifier: transaction.processID,
            author: transaction.author)
    }

    private func change(_ change: NSPersistentHistoryChange, _ number: Int64) -> HistoryChange? {
        func make<Model: PersistentModel>(_ type: Model.Type) -> HistoryChange? {
            let identifier = PersistentIdentifier(change.changedObjectID)
            switch change.changeType {
            case .insert:
                return .insert(
                    DefaultHistoryInsert<Model>(
                        changeIdentifier: change.changeID, transactionIdentifier: number,
                        changedPersistentIdentifier: identifier, source: RecordedChange(change)))
            case .update:
                return .update(
                    DefaultHistoryUpdate<Model>(
                        changeIdentifier: change.changeID, transactionIdentifier: number,
                        changedPersistentIdentifier: identifier, updatedAttributes: keyPaths(of: change),
                        source: RecordedChange(change)))
            case .delete:
                return .delete(
                    DefaultHistoryDelete<Model>(
                        changeIdentifier: change.changeID, transactionIdentifier: number,
                        changedPersistentIdentifier: identifier, tombstone: tombstone(of: change),
                        source: RecordedChange(change)))
            @unknown default: return nil
            }
        }
        return make(container.type(of: change.changedObjectID.entity))
    }

    /// In the order in which the class declares them.
    private func keyPaths<Model: PersistentModel>(
        of change: NSPersistentHistoryChange
    ) -> [any PartialKeyPath<Model> & Sendable] {
        let names = Set((change.updatedProperties ?? []).map(\.name))
        return ModelShape.of(Model.self).properties.filter { names.contains($0.name) }
            .compactMap { ($0.keyPath as? PartialKeyPath<Model>).map { AssumedSendable.keyPath($0) } }
    }

    private func tombstone<Model: PersistentModel>(of change: NSPersistentHistoryChange) -> HistoryTombstone<Model> {
        var values: [String: any Sendable] = [:]
        for (name, value) in change.tombstone ?? [:] {
            guard let name = name as? String, let property = ModelShape.of(Model.self).property(named: name),
                case .attribute(let column) = property.kind
            else { continue }
            values[name] = AssumedSendable.value(column?.knownValue(value) ?? value)
        }
        return HistoryTombstone(values: values)
    }
}
#endif
