import FirnModel
import Foundation

/// Entry points that the plugin `ManagedClasses` calls for `@NSManaged` members. An application does not call these
/// itself.
extension NSManagedObject {
    /// The value of a property as an accessor's type. No value is zero, false, an empty string or collection
    /// where the type is not optional, as on Apple's systems; other types that are not optional trap.
    public final func managedValue<Value>(_ key: String) -> Value {
        let value = managedAnyValue(key)
        if let value = value as? Value { return value }
        if let converted = AccessorValues.converted(value, to: Value.self) { return converted }
        fatalError(
            "\"\(key)\" of \(entity.name ?? "?") is \(value.map { "a \(type(of: $0))" } ?? "nil"), and the class "
                + "\(type(of: self)) declares it as \(Value.self): make the property optional, or of the model's type")
    }

    /// Sets a property through an accessor.
    public final func setManagedValue<Value>(_ value: Value, _ key: String) {
        let stored = AccessorValues.stored(value)
        if layout.slot(named: key) == nil, let name = Self.primitiveName(key) {
            setPrimitiveValue(stored, forKey: name)
        } else {
            setAnyValue(stored, managedSlot(key))
        }
    }

    /// Adds an object, or all of a set or array.
    public final func addManaged(_ value: Any, to key: String) {
        let slot = managedSlot(key)
        for object in Self.objects(value) { insertMember(object, slot) }
    }

    /// Removes an object, all of a set or array, or what stands at the places of an index set.
    public final func removeManaged(_ value: Any, from key: String) {
        if let indexes = value as? NSIndexSet { return removeManaged(at: indexes, from: key) }
        let slot = managedSlot(key)
        for object in Self.objects(value) { removeMember(object, slot) }
    }

    /// Removes the members at an index or at the places of an index set.
    public final func removeManaged(at places: Any, from key: String) {
        let slot = managedSlot(key)
        let members = memberObjects(slot)
        for index in Self.indexes(places) { removeMember(members[index], slot) }
    }

    /// Inserts an object at an index, or several at the places of an index set.
    public final func insertManaged(_ value: Any, into key: String, at places: Any) {
        let slot = managedSlot(key)
        let objects = Self.objects(value)
        var members = memberObjects(slot).filter { member in !objects.contains { $0 === member } }
        for (object, index) in zip(objects, Self.indexes(places)) {
            members.insert(object, at: min(index, members.count))
        }
        setMembers(members, slot)
    }

    /// Replaces the member at an index, or those at the places of an index set.
    public final func replaceManaged(at places: Any, in key: String, with value: Any) {
        let slot = managedSlot(key)
        var members = memberObjects(slot)
        for (object, index) in zip(Self.objects(value), Self.indexes(places)) { members[index] = object }
        setMembers(members, slot)
    }

    private func managedAnyValue(_ key: String) -> Any? {
        if layout.slot(named: key) == nil, let name = Self.primitiveName(key) {
            return primitiveValue(forKey: name)
        }
        return anyValue(managedSlot(key))
    }

    private func managedSlot(_ key: String) -> Int {
        if let slot = layout.slot(named: key) { return slot }
        if let slot = layout.slot(named: key.prefix(1).uppercased() + key.dropFirst()) { return slot }
        fatalError(
            "the class \(type(of: self)) has an @NSManaged \"\(key)\" that the entity \(entity.name ?? "?") "
                + "has not: add it to the model, or remove it from the class")
    }

    /// `name` for `primitiveName`: such an accessor reads and writes without telling anyone.
    private static func primitiveName(_ key: String) -> String? {
        guard key.hasPrefix("primitive"), key.count > 9 else { return nil }
        let name = key.dropFirst(9)
        return name.prefix(1).lowercased() + name.dropFirst()
    }

    private static func objects(_ value: Any) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: [object]
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
        case let array as NSArray: array.compactMap { $0 as? NSManagedObject }
        case let array as [NSManagedObject]: array
        case let set as Set<NSManagedObject>: Array(set)
        default: []
        }
    }

    private static func indexes(_ places: Any) -> [Int] {
        switch places {
        case let index as Int: [index]
        case let indexes as IndexSet: Array(indexes)
        case let indexes as NSIndexSet: Array(indexes as IndexSet)
        default: []
        }
    }
}
