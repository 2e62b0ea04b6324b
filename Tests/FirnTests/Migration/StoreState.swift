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

    /// Whether an object lacks the value that a problem is about.
    func lacksValue(_ problem: InferenceProblem, _ model: NSManagedObjectModel) -> Bool {
        guard let entity = model.entitiesByName[problem.entity], let property = problem.property else { return true }
        return objects.contains { name, values in
            let own = name.split(separator: "/").first.flatMap { model.entitiesByName[String($0)] }
            return own?.isKindOf(entity: entity) == true && values[property] == nil
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

    /// The objects, whatever their keys: how many there are of each.
    func contents(_ model: NSManagedObjectModel, _ expected: ExpectedState) -> [String: Int] {
        var own: [String: [String]] = [:]
        for (object, values) in objects {
            let attributes = Self.entity(of: object, in: model)?.attributesByName ?? [:]
            own[object] = values.filter { attributes[$0.key] != nil }.map { "\($0.key)=\($0.value)" }.sorted()
        }
        return objects.reduce(into: [:]) { result, entry in
            let entity = Self.entity(of: entry.key, in: model)
            var parts = [entity?.name ?? "", "\(own[entry.key] ?? [])"]
            for (name, relationship) in (entity?.relationshipsByName ?? [:]).sorted(by: { $0.key < $1.key }) {
                let members = (entry.value[name] ?? "").split(separator: " ").map { "\(own[String($0)] ?? [])" }
                parts.append("\(name)=\(expected.keepsOrder(relationship) ? members : members.sorted())")
            }
            result[parts.joined(separator: " "), default: 0] += 1
        }
    }

    private static func entity(of object: String, in model: NSManagedObjectModel) -> NSEntityDescription? {
        object.split(separator: "/").first.flatMap { model.entitiesByName[String($0)] }
    }

    /// The lowest key of an entity's objects.
    func firstKey(_ entity: String) -> Int? {
        objects.keys.filter { $0.hasPrefix(entity + "/p") }.compactMap { Int($0.dropFirst(entity.count + 2)) }.min()
    }

    func count(_ entity: String) -> Int { objects.keys.count { $0.hasPrefix(entity + "/") } }

    subscript(object: String) -> [String: String] { objects[object] ?? [:] }
}
