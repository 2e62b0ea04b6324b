import Firn
import FirnModel
import Foundation

/// A managed object whose hooks run what a test hands in.
final class Witness: NSManagedObject {
    var onWillSave: ((Witness) -> Void)?
    var onDidSave: ((Witness) -> Void)?

    override func willSave() { onWillSave?(self) }
    override func didSave() { onDidSave?(self) }

    /// A model with one entity, `Witness`, that has a name and a count.
    static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Witness"
        entity.managedObjectClassName = "FirnTests.Witness"
        entity.properties = [("name", NSAttributeType.stringAttributeType), ("count", .integer64AttributeType)].map {
            let attribute = NSAttributeDescription()
            attribute.name = $0.0
            attribute.attributeType = $0.1
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}

/// Runs a closure for every notification of one name and object, for as long as it is held.
final class Watch {
    private let token: any NSObjectProtocol

    init(_ name: Notification.Name, _ object: AnyObject?, _ body: @escaping (Notification) -> Void) {
        nonisolated(unsafe) let body = body
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { body($0) }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}

extension NSManagedObjectContext {
    /// A context whose parent this is.
    func makeChild() -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = self
        return child
    }

    /// Saves, and gives the notification of that.
    func saveNotification() throws -> Notification? {
        nonisolated(unsafe) var result: Notification?
        let watch = Watch(.NSManagedObjectContextDidSave, self) { result = $0 }
        try save()
        withExtendedLifetime(watch) {}
        return result
    }

    /// Waits until what others put into the context's queue has run.
    func drain() { performAndWait {} }
}

extension Notification {
    func objects(_ key: String) -> Set<NSManagedObject>? { userInfo?[key] as? Set<NSManagedObject> }

    func ids(_ key: NSManagedObjectContext.NotificationKey) -> Set<NSManagedObjectID>? {
        userInfo?[key.rawValue] as? Set<NSManagedObjectID>
    }

    var keys: Set<String> { Set((userInfo ?? [:]).keys.compactMap { $0 as? String }) }
}
