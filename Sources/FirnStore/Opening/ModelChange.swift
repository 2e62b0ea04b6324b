package import FirnLog
package import FirnModel
package import FirnProjection
package import Foundation

/// A store's model, and the other one that it is opened with.
package struct ModelChange {
    package let stored: StoreSchema
    let storedSequence: SequenceNumber
    package let storedModel: LogModel
    /// The new model, with the store's numbers.
    package let schema: StoreSchema
    package let matching: ModelMatching
    /// The highest entity number that the store gave so far.
    package let highestNumber: EntityNumber

    init(
        from stored: StoreSchema, to model: NSManagedObjectModel, entities: [NSEntityDescription],
        _ known: (sequence: SequenceNumber, model: LogModel)
    ) {
        self.stored = stored
        storedSequence = known.sequence
        storedModel = known.model
        matching = ModelMatching(from: stored.model, to: model)
        let last = known.model.entities.map(\.number).max() ?? EntityNumber(0)
        highestNumber = max(last, known.model.migration?.highestNumber ?? last)
        schema = StoreSchema(
            model: model, entities: entities, previous: known.model, highestNumber: highestNumber,
            matching: matching)
    }

    /// Whether entities and slots mean what they meant.
    var keepsTerms: Bool { storedModel.entities == schema.logModel.entities }

    /// Whether Core Data takes both for the same version.
    package var isCompatible: Bool { Self.hashes(stored.entities) == Self.hashes(schema.entities) }

    /// Whether Core Data takes the entities for all of a model's.
    static func holdsAll(_ entities: [NSEntityDescription], of model: NSManagedObjectModel) -> Bool {
        hashes(entities) == model.entityVersionHashesByName
    }

    private static func hashes(_ entities: [NSEntityDescription]) -> [String: Data] {
        Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
    }

    var canBeInferred: Bool { !MappingInference(matching).problems.contains { concerns($0) } }

    /// The mandatory attributes without a default for which old objects may have no value: the rows tell.
    var unfilled: [InferenceProblem] {
        MappingInference(matching).problems.filter { concerns($0) && $0.kind == .missingDefault }
    }

    /// Throws unless the options allow what has to be done, and it can be inferred but for what the rows tell.
    package func check(_ options: MigrationOptions, path: String) throws {
        if isCompatible || options.reusesTables(self) { return }
        guard options.migrates else {
            throw incompatible(
                path,
                "allow its migration (\(NSMigratePersistentStoresAutomaticallyOption)), or use the model that wrote it")
        }
        guard options.infers else {
            throw CoreDataError.make(
                .migrationMissingMappingModel,
                "cannot migrate the store \(path): no mapping model leads to the new model, and none may be inferred "
                    + "(\(NSInferMappingModelAutomaticallyOption)). \(differences)",
                [NSFilePathErrorKey: path, "reason": "Can't find mapping model for migration"])
        }
        let problems = MappingInference(matching).problems.filter { concerns($0) }
        if problems.allSatisfy({ $0.kind == .missingDefault }) { return }
        throw refusal(problems, path: path)
    }

    /// The error for problems, of which there is one at least.
    func refusal(_ problems: [InferenceProblem], path: String) -> NSError {
        let errors = problems.map(Self.error)
        var userInfo = errors[0].userInfo
        userInfo[NSFilePathErrorKey] = path
        if errors.count > 1 { userInfo[NSDetailedErrorsKey] = errors }
        return CoreDataError.make(
            Self.code(problems[0]),
            "cannot migrate the store \(path): " + problems.map(\.description).joined(separator: "; "), userInfo)
    }

    private func concerns(_ problem: InferenceProblem) -> Bool {
        schema.entities.contains { $0.name == problem.entity }
    }

    private static func code(_ problem: InferenceProblem) -> CocoaError.Code {
        problem.kind == .missingDefault ? .migration : .inferredMappingModel
    }

    package static func error(_ problem: InferenceProblem) -> NSError {
        var userInfo: [String: Any] = ["entity": problem.entity, "reason": problem.reason]
        if let property = problem.property {
            let isRelationship =
                problem.kind == .toManyToToOne
                || { if case .relationshipDestination = problem.kind { true } else { false } }()
            userInfo[isRelationship ? "relationship" : "attribute"] = property
        }
        return CoreDataError.make(code(problem), problem.description, userInfo)
    }

    /// The models are of different versions.
    func incompatible(_ path: String, _ remedy: String) -> NSError {
        CoreDataError.make(
            .persistentStoreIncompatibleVersionHash,
            "the model used to open the store is not the one it was written with: \(differences). "
                + "To open \(path), \(remedy)",
            [
                NSFilePathErrorKey: path,
                "metadata": [NSStoreModelVersionHashesKey: Self.hashes(stored.entities)],
                "reason": "The model used to open the store is incompatible with the one used to create the store",
            ])
    }

    /// All that tells the models apart, in words.
    private var differences: String {
        let all = stored.model.differences(to: schema.model).map(\.description)
        return all.isEmpty ? "their documents differ" : all.joined(separator: ", ")
    }
}
