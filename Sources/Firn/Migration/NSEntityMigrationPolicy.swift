import FirnStore
import FirnFoundation
public import FirnModel
public import Foundation

/// The keys of a value expression's variables, in the dictionary that expressions are given.
public let NSMigrationManagerKey = "manager"
/// The old object, in expressions of a mapping.
public let NSMigrationSourceObjectKey = "source"
/// The new object, in expressions of a mapping.
public let NSMigrationDestinationObjectKey = "destination"
/// The entity mapping, in expressions of a mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The property mapping, in expressions of a mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The policy, in expressions of a mapping.
public let NSMigrationEntityPolicyKey = "entityPolicy"

/// The migration of one entity mapping's objects. Subclasses do it their way, hook by hook:
///
///     begin → createDestinationInstances for each source → endInstanceCreation
///           → createRelationships for each destination → endRelationshipCreation
///           → performCustomValidation → end
///
/// Each row is done for all mappings before the next one begins.
/// https://developer.apple.com/documentation/coredata/nsentitymigrationpolicy
open class NSEntityMigrationPolicy: NSObject {
    public override init() { super.init() }

    /// Calls `init()` of the dynamic class for `ObjectClass.makePolicy`. Its name is the one that `making.h` declares.
    @_silgen_name("firn_make_policy")
    @usableFromInline
    convenience init(making: Void) { self.init() }

    /// Called before a mapping begins.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes an object of the destination entity with the values of the attribute mappings, and associates it.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let name = mapping.destinationEntityName else { return }
        guard manager.destinationModel.entitiesByName[name]?.isAbstract == false else {
            throw CoreDataError.make(
                .migration, "the mapping \(mapping.name ?? "") makes objects of \(name), which is no entity of the "
                    + "destination model, or an abstract one")
        }
        let instance = NSEntityDescription.insertNewObject(forEntityName: name, into: manager.destinationContext)
        for property in mapping.attributeMappings ?? [] {
            guard let key = property.name, let expression = property.valueExpression else { continue }
            let value = try self.value(of: expression, property, sInstance, instance, mapping, manager)
            let isNull = value == nil || value is NSNull
            // A mandatory attribute keeps its default then, as in a lightweight migration.
            if isNull, instance.entity.propertiesByName[key]?.isOptional == false { continue }
            instance.setValue(isNull ? nil : value, forKey: key)
        }
        manager.associate(sourceInstance: sInstance, withDestinationInstance: instance, for: mapping)
    }

    /// Called when a mapping's objects were created.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets what the relationship mappings say.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let source = manager.associations.sources(of: [dInstance], mapping: .init(mapping)).first
        for property in mapping.relationshipMappings ?? [] {
            guard let key = property.name, let expression = property.valueExpression,
                let relationship = dInstance.entity.relationshipsByName[key]
            else { continue }
            manager.currentRelationship = relationship
            defer { manager.currentRelationship = nil }
            let value = try self.value(of: expression, property, source, dInstance, mapping, manager)
            let members = Self.members(value)
            let all = relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members) as NSObject
            dInstance.setValue(relationship.isToMany ? all : members.first, forKey: key)
        }
    }

    /// Called when a mapping's objects were related.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called to check a mapping's objects.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called when a mapping has ended.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Answers `FUNCTION($entityPolicy, "selector:", …)` in value expressions: there is no runtime that would find a
    /// method by its selector. Ours, not Apple's.
    open func value(ofMethod name: String, arguments: [Any?]) throws -> Any? {
        throw CoreDataError.make(
            .entityMigrationPolicy,
            "a value expression calls \(name) of \(type(of: self)): override value(ofMethod:arguments:) to answer it")
    }

    private func value(
        of expression: NSExpression, _ property: NSPropertyMapping, _ source: NSObject?,
        _ destination: NSManagedObject, _ mapping: NSEntityMapping, _ manager: NSMigrationManager
    ) throws -> Any? {
        let variables: [String: Any] = [
            NSMigrationManagerKey: manager, NSMigrationDestinationObjectKey: destination,
            NSMigrationEntityMappingKey: mapping, NSMigrationPropertyMappingKey: property,
            NSMigrationEntityPolicyKey: self, NSMigrationSourceObjectKey: source ?? NSNull(),
        ]
        return try expression.value(for: source, substitutionVariables: variables)
    }

    /// The objects of an expression's value: one object, or a collection.
    static func members(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: [object]
        case let objects as [NSManagedObject]: objects
        case let objects as NSOrderedSet: objects.array as? [NSManagedObject] ?? []
        case let objects as NSSet: objects.allObjects as? [NSManagedObject] ?? []
        default: []
        }
    }
}

extension NSEntityMigrationPolicy: ExpressionAnswering {}
