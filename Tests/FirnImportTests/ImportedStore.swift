import Firn
import FirnImport
import FirnModel
import Foundation
import StoreSupport

/// A store that was imported, read through the API: every object with its properties as texts.
struct ImportedStore {
    let coordinator: NSPersistentStoreCoordinator
    let model: NSManagedObjectModel
    /// What removes the files when it goes.
    private let files: AnyObject?

    var identifier: String { coordinator.persistentStores[0].identifier }

    /// Opens the store with the model that its log carries, without its classes and transformers: the data of
    /// transformable attributes is read as it is.
    init(_ url: URL, holding files: AnyObject? = nil) throws {
        self.files = files
        let carried = try StoredTables.model(url)
        ValueTransformer.setValueTransformer(SameData(), forName: NSValueTransformerName("SameData"))
        for entity in carried.entities {
            entity.managedObjectClassName = "NSManagedObject"
            for case let attribute as NSAttributeDescription in entity.ownProperties
            where attribute.attributeType == .transformableAttributeType {
                attribute.valueTransformerName = "SameData"
                attribute.attributeValueClassName = nil
            }
        }
        model = carried
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: carried)
        try coordinator.addPersistentStore(type: .sqlite, at: url)
    }

    /// By entity and key, `Book/p7`: the values by property.
    func objects() throws -> [String: [String: String]] {
        let context = coordinator.context()
        var found: [String: [String: String]] = [:]
        try context.performAndWait {
            for entity in model.entities where !entity.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                for object in try context.fetch(request) { found[Self.name(object)] = Self.values(of: object) }
            }
        }
        return found
    }

    static func name(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "")/\(object.objectID.uriRepresentation().lastPathComponent)"
    }

    private static func values(of object: NSManagedObject) -> [String: String] {
        var values: [String: String] = [:]
        for property in object.entity.properties where !property.isTransient {
            switch property {
            case let relationship as NSRelationshipDescription:
                values[property.name] = members(object, relationship)
            case is NSAttributeDescription: values[property.name] = text(object.value(forKey: property.name))
            default: continue
            }
        }
        return values
    }

    private static func members(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> String {
        switch object.value(forKey: relationship.name) {
        case let member as NSManagedObject: name(member)
        case let members as NSOrderedSet: members.array.map { name($0 as! NSManagedObject) }.joined(separator: " ")
        case let members as NSSet: members.map { name($0 as! NSManagedObject) }.sorted().joined(separator: " ")
        default: ""
        }
    }

    /// One notation for what the API gives and what SQL says.
    static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let value as Data: "data " + value.base64EncodedString()
        case let value as Date: "date \(value.timeIntervalSinceReferenceDate)"
        case let value as UUID: "uuid " + value.uuidString
        case let value as URL: "url " + value.absoluteString
        case let value as String: "text " + value
        case let value as NSDecimalNumber: "decimal " + value.stringValue
        case let value as NSNumber: "number \(value.doubleValue)"
        default: "\(value!)"
        }
    }
}

/// Gives data as it is.
private final class SameData: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { value }
    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}
