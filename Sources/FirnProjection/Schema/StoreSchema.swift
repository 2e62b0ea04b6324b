package import FirnLog
package import FirnModel

/// A model as one store sees it: entities with the store's numbers, and the tables that hold them.
///
/// Immutable. The model is frozen by making a schema of it.
package final class StoreSchema: Sendable {
    package let model: NSManagedObjectModel
    /// The entities of the store's configuration, with those they inherit from or refer to; ascending by number.
    package let entities: [NSEntityDescription]
    /// The model that the log records when this one is activated.
    package let logModel: LogModel
    package let layout: TableLayout
    let plans = PlanCache()
    let catalog: EntityCatalog
    /// The entities of the store's configuration itself, by their index in the model.
    private let configured: [Bool]

    /// Numbers the entities and lays out their tables.
    ///
    /// An entity keeps its number in `previous`, where `matching` finds it. Without a matching its name or, if it was
    /// renamed, its renaming identifier finds it. New entities get the numbers after `highestNumber`, the highest that
    /// the store ever assigned, also to removed entities.
    package init(
        model: NSManagedObjectModel, entities: [NSEntityDescription]? = nil,
        previous: LogModel? = nil, highestNumber: EntityNumber? = nil,
        matching: ModelMatching? = nil
    ) {
        model.freeze()
        self.model = model
        var configured = [Bool](repeating: entities == nil, count: model.entities.count)
        for entity in entities ?? [] { configured[entity.layout.modelIndex] = true }
        self.configured = configured
        let members = Self.closure(entities ?? model.entities).sorted {
            $0.layout.modelIndex < $1.layout.modelIndex
        }
        let numbering = EntityNumbering(
            members, previous: previous, highest: highestNumber, matching: matching)
        let ordered = zip(members, numbering.numbers).sorted { $0.1 < $1.1 }
        self.entities = ordered.map(\.0)
        catalog = EntityCatalog(model, ordered)
        let describer = LogModelDescriber(catalog: catalog)
        logModel = LogModel(
            entities: ordered.map { describer.entity($0.0, $0.1) },
            document: model.xcdatamodelContents())
        var details = describer.details(self.entities)
        let plain = TableLayout(logModel, details: details)
        let compiled = IndexCompiler(entities: self.entities, catalog: catalog, layout: plain).indexes()
        details.indexes += compiled
        layout = compiled.isEmpty ? plain : TableLayout(logModel, details: details)
    }

    /// The model that a record of the log carries, as it was numbered there.
    package convenience init(_ recorded: LogModel, name: String) throws {
        let model = try NSManagedObjectModel.load(document: recorded.document, name: name).model
        let names = Set(recorded.entities.map(\.name))
        self.init(
            model: model, entities: model.entities.filter { names.contains($0.name ?? "") },
            previous: recorded)
        guard logModel.entities == recorded.entities else {
            throw ProjectionError(
                .unknownModel, "the document of \(name) does not describe the entities of its record", path: name)
        }
    }

    /// The entity of a number; nil if this model does not have it.
    package func entity(_ number: EntityNumber) -> NSEntityDescription? { catalog.entity(number) }

    /// The store's number of an entity of this model. O(1).
    package func number(of entity: NSEntityDescription) -> EntityNumber { catalog.number(of: entity) }

    /// Whether the schema has the entity: it is one of the configuration's, or related to one of them.
    package func contains(_ entity: NSEntityDescription) -> Bool { catalog.contains(entity) }

    /// Whether new objects of the entity may be saved in this store: its configuration names the entity.
    package func stores(_ entity: NSEntityDescription) -> Bool {
        entity.isPart(of: model) && configured[entity.layout.modelIndex]
    }

    /// Whether the configuration names the entity or one of those that inherit from it.
    package func storesPart(of entity: NSEntityDescription) -> Bool {
        stores(entity) || entity.subentities.contains(where: storesPart)
    }

    /// The entities, and all that they inherit from or refer to.
    private static func closure(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var members: [NSEntityDescription] = []
        var seen: Set<ObjectIdentifier> = []
        var waiting = entities
        while let entity = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
            members.append(entity)
            if let superentity = entity.superentity { waiting.append(superentity) }
            waiting += entity.subentities
            waiting += entity.ownProperties.compactMap {
                ($0 as? NSRelationshipDescription)?.destinationEntity
            }
        }
        return members
    }
}

/// Assigns the numbers of a store's entities.
struct EntityNumbering {
    /// Parallel to the entities.
    private(set) var numbers: [EntityNumber]

    init(
        _ entities: [NSEntityDescription], previous: LogModel?, highest: EntityNumber?,
        matching: ModelMatching?
    ) {
        let previousNumbers = Dictionary(
            (previous?.entities ?? []).map { ($0.name, $0.number) }, uniquingKeysWith: { a, _ in a })
        var used: Set<EntityNumber> = []
        var assigned = [EntityNumber?](repeating: nil, count: entities.count)
        func assign(_ index: Int, _ name: String?) {
            guard assigned[index] == nil, let number = name.flatMap({ previousNumbers[$0] }),
                used.insert(number).inserted
            else { return }
            assigned[index] = number
        }
        if let matching {
            for (index, entity) in entities.enumerated() { assign(index, matching.source(of: entity)?.name) }
        } else {
            // A renamed entity has precedence over a new one that has its old name.
            for (index, entity) in entities.enumerated() where previousNumbers[entity.name ?? ""] == nil {
                assign(index, entity.renamingIdentifier)
            }
            for (index, entity) in entities.enumerated() { assign(index, entity.name) }
        }
        var next = max(highest?.rawValue ?? 0, previousNumbers.values.map(\.rawValue).max() ?? 0)
        numbers = assigned.map { number in
            if let number { return number }
            next += 1
            return EntityNumber(next)
        }
    }
}
