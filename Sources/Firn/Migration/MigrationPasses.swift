import FirnModel
import FirnRuntime
import FirnStore
import Foundation

/// The three passes of a migration by a mapping model.
struct MigrationPasses {
    private let manager: NSMigrationManager
    private let steps: [(mapping: NSEntityMapping, policy: NSEntityMigrationPolicy)]

    /// Throws 134170 if a policy class cannot be found.
    init(_ manager: NSMigrationManager, _ mappings: NSMappingModel) throws {
        self.manager = manager
        steps = try (mappings.entityMappings ?? []).map { ($0, try Self.policy($0)) }
    }

    func run() throws {
        let count = Float(max(steps.count, 1) * 3)
        var done: Float = 0
        func finish() {
            done += 1
            manager.report(done / count)
        }
        for (mapping, policy) in steps {
            try manager.enter(mapping)
            try policy.begin(mapping, with: manager)
            for source in try sources(of: mapping) {
                try manager.enter(mapping)
                try policy.createDestinationInstances(forSource: source, in: mapping, manager: manager)
            }
            try policy.endInstanceCreation(forMapping: mapping, manager: manager)
            finish()
        }
        for (mapping, policy) in steps {
            for destination in manager.associations.destinations(of: nil, mapping: .init(mapping)) {
                try manager.enter(mapping)
                try policy.createRelationships(forDestination: destination, in: mapping, manager: manager)
            }
            try manager.enter(mapping)
            try policy.endRelationshipCreation(forMapping: mapping, manager: manager)
            finish()
        }
        for (mapping, policy) in steps {
            try manager.enter(mapping)
            try policy.performCustomValidation(forMapping: mapping, manager: manager)
            try policy.end(mapping, manager: manager)
            finish()
        }
    }

    /// The objects of the source entity itself, or what the mapping's expression gives.
    private func sources(of mapping: NSEntityMapping) throws -> [NSManagedObject] {
        if let expression = mapping.sourceExpression {
            let value = try expression.value(
                for: nil, substitutionVariables: [NSMigrationManagerKey: manager, NSMigrationEntityMappingKey: mapping])
            if let request = value as? UntypedFetchRequest {
                return try manager.sourceContext.fetch(request.withResultType(NSManagedObject.self))
            }
            return NSEntityMigrationPolicy.members(value)
        }
        let makesObjects = mapping.destinationEntityName != nil && mapping.mappingType != .removeEntityMappingType
        guard makesObjects || mapping.entityMigrationPolicyClassName != nil, let name = mapping.sourceEntityName
        else { return [] }
        guard manager.sourceModel.entitiesByName[name] != nil else {
            throw CoreDataError.make(
                .migration, "the mapping \(mapping.name ?? "") begins at \(name), which the source model does not have")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        return try manager.sourceContext.fetch(request)
    }

    private static func policy(_ mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else { return NSEntityMigrationPolicy() }
        let type = GeneratedClassName.find(name, as: NSEntityMigrationPolicy.Type.self)
        if let policy = type.flatMap(ObjectClass.makePolicy) as? NSEntityMigrationPolicy { return policy }
        throw CoreDataError.make(
            .entityMigrationPolicy,
            "the mapping \(mapping.name ?? "") wants the policy \(name), which is no subclass of "
                + "NSEntityMigrationPolicy in this program")
    }
}

/// The pairs of source and destination objects, in the order in which mapping made them.
struct MigrationAssociations {
    /// A mapping by its name, which is unique in its mapping model, or the mapping itself if it has no name.
    enum Mapping: Hashable {
        case named(String)
        case unnamed(ObjectIdentifier)

        init(_ mapping: NSEntityMapping) {
            self = mapping.name.map { .named($0) } ?? .unnamed(ObjectIdentifier(mapping))
        }
    }

    private(set) var all: [(source: NSManagedObject, destination: NSManagedObject)] = []
    /// Positions in `all`.
    private var byMapping: [Mapping: [Int]] = [:]
    private var bySource: [ObjectIdentifier: [(mapping: Mapping, NSManagedObject)]] = [:]
    private var byDestination: [ObjectIdentifier: [(mapping: Mapping, NSManagedObject)]] = [:]

    mutating func add(_ source: NSManagedObject, _ destination: NSManagedObject, _ mapping: Mapping) {
        byMapping[mapping, default: []].append(all.count)
        all.append((source, destination))
        bySource[ObjectIdentifier(source), default: []].append((mapping, destination))
        byDestination[ObjectIdentifier(destination), default: []].append((mapping, source))
    }

    /// For nil as mapping whatever mapping made them; for nil as sources all that a mapping made.
    func destinations(of sources: [NSManagedObject]?, mapping: Mapping?) -> [NSManagedObject] {
        guard let sources else { return mapping.flatMap { byMapping[$0] }?.map { all[$0].destination } ?? [] }
        return sources.flatMap { source in
            (bySource[ObjectIdentifier(source)] ?? []).filter { mapping == nil || $0.mapping == mapping }.map(\.1)
        }
    }

    func sources(of destinations: [NSManagedObject]?, mapping: Mapping) -> [NSManagedObject] {
        guard let destinations else { return byMapping[mapping]?.map { all[$0].source } ?? [] }
        return destinations.flatMap { destination in
            (byDestination[ObjectIdentifier(destination)] ?? []).filter { $0.mapping == mapping }.map(\.1)
        }
    }
}
