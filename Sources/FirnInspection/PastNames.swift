package import FirnLog

/// The models that records were written with, in the names that entities and properties have now. A person may name one
/// by the name that it had, too.
package struct PastNames {
    private struct Pair {
        let then: LogModel
        let now: LogModel
    }

    private let pairs: [SequenceNumber: Pair]
    private let current: LogModel?

    /// - Parameter models: by the record that carries each.
    package init(_ models: [SequenceNumber: LogModel], in log: SegmentLog) throws {
        let current = try log.currentModel
        self.current = current?.model
        pairs = try Dictionary(uniqueKeysWithValues: models.map { sequence, model in
            guard let current else { return (sequence, Pair(then: model, now: model)) }
            let steps = try log.migrations(from: sequence, to: current.sequence)
            return (sequence, Pair(then: model, now: steps.renamed(model, as: current.model)))
        })
    }

    /// The models with the names of now, by the record that carries each.
    var models: [SequenceNumber: LogModel] { pairs.mapValues(\.now) }

    /// The names now of the entities that a person names. Throws what says which entities there are.
    package func entities(named name: String) throws -> Set<String> {
        if current?.entities.contains(where: { $0.name == name }) ?? false { return [name] }
        let found = pairs.values.flatMap { pair in
            zip(pair.then.entities, pair.now.entities).filter { $0.0.name == name }.map(\.1.name)
        }
        if !found.isEmpty { return Set(found) }
        let known = pairs.values.flatMap(\.now.entities).map(\.name)
        throw Failure("there is no entity “\(name)” in the store's model" + Suggestion.text(for: name, among: known))
    }

    /// The names now of the properties that a person names.
    ///
    /// - Parameters:
    ///   - entities: whose properties are meant, by their names now.
    ///   - words: what has no such property, in the error that says which there are.
    package func properties(named name: String, of entities: Set<String>, _ words: String) throws -> Set<String> {
        func isWanted(_ entity: LogEntity) -> Bool { entities.contains(entity.name) }
        let present = current?.entities.filter(isWanted) ?? []
        if present.contains(where: { $0.properties.contains { $0.name == name } }) { return [name] }
        let found = pairs.values.flatMap { pair in
            zip(pair.then.entities, pair.now.entities).filter { isWanted($0.1) }.flatMap { then, now in
                zip(then.properties, now.properties).filter { $0.0.name == name }.map(\.1.name)
            }
        }
        if !found.isEmpty { return Set(found) }
        let known = pairs.values.flatMap(\.now.entities).filter(isWanted).flatMap(\.namedProperties).map(\.name)
        throw Failure("\(words) has no property “\(name)”" + Suggestion.text(for: name, among: known))
    }
}
