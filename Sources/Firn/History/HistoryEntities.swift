public import FirnFoundation
import FirnLog
public import FirnModel
import Foundation

/// The entities of fetch requests on history. The keys are those of Apple's persistent history, answered in memory.
extension NSPersistentHistoryTransaction: KeyValueCoding {
    package static let historyEntity = HistoryEntity.make(
        "NSPersistentHistoryTransaction",
        [
            ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
            ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
            ("timestamp", .dateAttributeType), ("token", .transformableAttributeType),
            ("transactionNumber", .integer64AttributeType),
        ])

    /// The entity that a fetch request on transactions names.
    public class var entityDescription: NSEntityDescription? { historyEntity }

    /// The entity of history, as `entityDescription` is: history has one model, whatever the context's.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? { historyEntity }

    /// A new request for transactions, to be given a predicate.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { HistoryEntity.request(historyEntity) }

    public func value(forKey key: String) -> Any? {
        switch key {
        case "author": author
        case "bundleID": bundleID
        case "contextName": contextName
        case "processID": processID
        case "timestamp": timestamp
        case "token": token
        case "transactionNumber": NSNumber(value: transactionNumber)
        case "storeID": storeID
        case "changes": changes
        case "metadata": metadata
        default: value(forUndefinedKey: key)
        }
    }

    public func setValue(_ value: Any?, forKey key: String) {
        fatalError("history is not written to: \(key) of a transaction cannot be set")
    }
}

extension NSPersistentHistoryChange: KeyValueCoding {
    package static let historyEntity = HistoryEntity.make(
        "NSPersistentHistoryChange",
        [
            ("changeID", .integer64AttributeType), ("changedEntity", .transformableAttributeType),
            ("changedObjectID", .objectIDAttributeType), ("changeType", .integer64AttributeType),
        ])

    /// The entity that a fetch request on changes names.
    public class var entityDescription: NSEntityDescription? { historyEntity }

    /// The entity of history, as `entityDescription` is: history has one model, whatever the context's.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? { historyEntity }

    /// A new request for changes, to be given a predicate.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { HistoryEntity.request(historyEntity) }

    /// In addition to Apple's keys, `oldValues.name` and `newValues.name` reach what a property was and became.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "changeID": NSNumber(value: changeID)
        case "changedEntity": changedObjectID.entity
        case "changedObjectID": changedObjectID
        case "changeType": NSNumber(value: changeType.rawValue)
        case "transaction": transaction
        case "updatedProperties": updatedProperties
        case "tombstone": tombstone
        case "oldValues": oldValues
        case "newValues": newValues
        default: value(forUndefinedKey: key)
        }
    }

    public func setValue(_ value: Any?, forKey key: String) {
        fatalError("history is not written to: \(key) of a change cannot be set")
    }
}

private enum HistoryEntity {
    nonisolated static func make(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }

    static func request(_ entity: NSEntityDescription) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        return request
    }
}
