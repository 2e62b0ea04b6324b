package import FirnLog
package import FirnModel

/// A model as one store sees it: entities with the store's numbers, and the tables that hold them.
///
/// Immutable. The model is frozen by making a schema of it.
package final class StoreSchema: @unchecked Sendable {
    package let model: NSManagedObjectModel
    /// The entities of the store's configuration, with those they inherit from or refer to; ascending by number.
    package let entities: [NSEntityDescription]
    /// What the log records when this model comes into force.
    package let logModel: LogModel
    package private(set) var layout: TableLayout
    let plans = PlanCache()
    /// By number.
    private let byNumber: [NSEntityDescription?]
    /// By the index of the entity in its model.
    private let numbers: [EntityNumber?]
    /// The entities of the store's configuration itself, by their index in the model.
    private let configured: [Bool]

    /// Numbers the entities and lays out their tables.
    ///
    /// An entity keeps the number that `previous` gave it, found by `matching`; without one by its name or, if it
    /// was renamed, by its renaming identifier. New entities get the numbers after `highestNumber`: the highest
    /// that the store ever gave, also to entities that are gone.
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
        var numbers = [EntityNumber?](repeating: nil, count: model.entities.count)
        for (entity, number) in zip(members, numbering.numbers) {
            numbers[entity.layout.modelIndex] = number
        }
        let ordered = zip(members, numbering.numbers).sorted { $0.1 < $1.1 }
        var byNumber = [NSEntityDescription?](
            repeating: nil, count: Int(ordered.last?.1.rawValue ?? 0) + 1)
        for (entity, number) in ordered { byNumber[Int(number.rawValue)] = entity }
        self.numbers = numbers
        self.byNumber = byNumber
        self.entities = ordered.map(\.0)
        let describer = LogModelDescriber(numbers: numbers)
        logModel = LogModel(
            entities: ordered.map { describer.entity($0.0, $0.1) },
            document: model.xcdatamodelContents())
        var details = describer.details(self.entities)
        layout = TableLayout(logModel, details: details)
        let compiled = IndexCompiler(schema: self).indexes()
        if !compiled.isEmpty {
            details.indexes += compiled
            layout = TableLayout(logModel, details: details)
        }
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
                .unknownModel, "the document of \(name) does not describe the entities beside it", path: name)
        }
    }

    /// The entity of a number; nil if this model does not have it.
    package func entity(_ number: EntityNumber) -> NSEntityDescription? {
        let index = Int(number.rawValue)
        return index < byNumber.count ? byNumber[index] : nil
    }

    /// The store's number of an entity of this model. O(1).
    package func number(of entity: NSEntityDescription) -> EntityNumber {
        guard let number = numbers[entity.layout.modelIndex] else {
            fatalError(
                "entity '\(entity.name ?? "")' is not in this store's configuration; add it, or save its "
                    + "objects to another store")
        }
        return number
    }

    /// Whether the store knows the entity: it is one of the configuration's, or has to do with one of them.
    package func contains(_ entity: NSEntityDescription) -> Bool {
        entity.isPart(of: model) && numbers[entity.layout.modelIndex] != nil
    }

    /// Whether new objects of the entity may be saved in this store: its configuration names the entity.
    package func stores(_ entity: NSEntityDescription) -> Bool {
        entity.isPart(of: model) && configured[entity.layout.modelIndex]
    }

    /// Whether the configuration names the entity or one of those that inherit from it.
    package func storesPart(of entity: NSEntityDescription) -> Bool {
        stores(entity) || entity.subentities.contains(where: storesPart)
    }

    /// The entities, and all that their tables cannot do without.
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

/// Gives entities the numbers by which a store knows them.
struct EntityNumbering {
    /// Parallel to the entities.
    private(set) var numbers: [EntityNumber]

    init(
        _ entities: [NSEntityDescription], previous: LogModel?, highest: EntityNumber?,
        matching: ModelMatching?
    ) {
        let known = Dictionary(
            (previous?.entities ?? []).map { ($0.name, $0.number) }, uniquingKeysWith: { a, _ in a })
        var taken: Set<EntityNumber> = []
        var given = [EntityNumber?](repeating: nil, count: entities.count)
        func give(_ index: Int, _ name: String?) {
            guard given[index] == nil, let number = name.flatMap({ known[$0] }),
                taken.insert(number).inserted
            else { return }
            given[index] = number
        }
        if let matching {
            for (index, entity) in entities.enumerated() { give(index, matching.source(of: entity)?.name) }
        } else {
            // A renamed entity goes before a new one that took its old name.
            for (index, entity) in entities.enumerated() where known[entity.name ?? ""] == nil {
                give(index, entity.renamingIdentifier)
            }
            for (index, entity) in entities.enumerated() { give(index, entity.name) }
        }
        var next = max(highest?.rawValue ?? 0, known.values.map(\.rawValue).max() ?? 0)
        numbers = given.map { number in
            if let number { return number }
            next += 1
            return EntityNumber(next)
        }
    }
}
