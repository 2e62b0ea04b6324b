import Firn
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Everything that a store's objects say, by entity and key, to be compared.
struct StoreState: Equatable {
    /// `Person/p3` → `name` → `"Ada"`.
    private(set) var objects: [String: [String: String]] = [:]

    init() {}

    init(_ context: NSManagedObjectContext) throws {
        let model = context.persistentStoreCoordinator!.managedObjectModel
        for entity in model.entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name!)
            request.includesSubentities = false
            for object in try context.fetch(request) { objects[Self.name(object)] = Self.values(object) }
        }
    }

    static func name(_ object: NSManagedObject) -> String {
        object.objectID.uriRepresentation().pathComponents.dropFirst().joined(separator: "/")
    }

    private static func values(_ object: NSManagedObject) -> [String: String] {
        var values: [String: String] = [:]
        for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
            if let value = object.value(forKey: name) { values[name] = text(value) }
        }
        for (name, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
            if !relationship.isToMany {
                values[name] = (object.value(forKey: name) as? NSManagedObject).map(Self.name)
            } else if relationship.isOrdered {
                let members = (object.value(forKey: name) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
                values[name] = members.map(Self.name).joined(separator: " ")
            } else {
                let members = (object.value(forKey: name) as? NSSet)?.allObjects as? [NSManagedObject] ?? []
                values[name] = members.map(Self.name).sorted().joined(separator: " ")
            }
        }
        return values
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let value as Data: value.base64EncodedString()
        case let value as Date: "\(value.timeIntervalSinceReferenceDate)"
        case let value as [AnyHashable: Any]:
            value.map { "\($0.key)=\(text($0.value))" }.sorted().joined(separator: ",")
        default: "\(value)"
        }
    }

    /// The lowest key of an entity's objects.
    func firstKey(_ entity: String) -> Int? {
        objects.keys.filter { $0.hasPrefix(entity + "/p") }.compactMap { Int($0.dropFirst(entity.count + 2)) }.min()
    }

    func count(_ entity: String) -> Int { objects.keys.count { $0.hasPrefix(entity + "/") } }

    subscript(object: String) -> [String: String] { objects[object] ?? [:] }
}
