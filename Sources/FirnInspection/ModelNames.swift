package import FirnLog

/// The names of a model's entities and properties, for quick looking up.
package struct ModelNames: Sendable {
    private let entities: [EntityNumber: LogEntity]
    /// Where values are that are not in rows and records.
    private let externalValues: ExternalValues?

    package init(_ model: LogModel, _ externalValues: ExternalValues? = nil) {
        self.externalValues = externalValues
        entities = Dictionary(model.entities.map { ($0.number, $0) }) { first, _ in first }
    }

    package func entity(_ number: EntityNumber) -> String {
        entities[number]?.name ?? "entity \(number.rawValue)"
    }

    /// The value that the bytes stand for; they themselves if they are no reference, or its file cannot be read.
    package func value(_ bytes: [UInt8]) -> [UInt8] {
        guard let externalValues, let reference = ExternalReference(bytes: bytes), externalValues.has(reference) else {
            return bytes
        }
        var value = [UInt8](repeating: 0, count: reference.size)
        do {
            try value.withUnsafeMutableBytes { try externalValues.read(reference, into: $0) }
            return value
        } catch {
            return bytes
        }
    }

    /// `Person/1`
    package func object(_ key: ObjectKey) -> String { "\(entity(key.entity))/\(key.primaryKey)" }

    /// The same object by its root entity.
    func root(_ key: ObjectKey) -> ObjectKey {
        var key = key
        while let parent = entities[key.entity]?.parent { key.entity = parent }
        return key
    }

    /// Whether an entity is another one, or below it.
    func isEntity(_ number: EntityNumber, in ancestor: EntityNumber) -> Bool {
        var next: EntityNumber? = number
        while let current = next, current != ancestor { next = entities[current]?.parent }
        return next != nil
    }

    /// How many relationships of an entity lead to another one by links that the other side names.
    func linkedCount(of number: EntityNumber, to destination: EntityNumber) -> Int {
        (entities[number]?.properties ?? []).count { $0.kind.leads(to: destination) }
    }

    /// The names of an entity's properties.
    package func properties(of number: EntityNumber) -> [String] { entities[number]?.namedProperties.map(\.name) ?? [] }

    /// Nil for a number that the model does not have: then the log was written wrong.
    package func property(_ slot: UInt16, of number: EntityNumber) -> LogProperty? {
        guard let properties = entities[number]?.properties, Int(slot) < properties.count else {
            return nil
        }
        return properties[Int(slot)]
    }
}

extension LogProperty.Kind {
    fileprivate func leads(to entity: EntityNumber) -> Bool {
        if case .toMany(entity, nil, _, false) = self { true } else { false }
    }
}

/// The models of a log, each read once.
package struct ModelLibrary {
    private let log: SegmentLog
    private var names: [SequenceNumber: ModelNames] = [:]

    package init(_ log: SegmentLog) { self.log = log }

    package mutating func names(at sequence: SequenceNumber) throws -> ModelNames {
        if let known = names[sequence] { return known }
        let made = ModelNames(try log.model(at: sequence), log.externalValues)
        names[sequence] = made
        return made
    }
}
