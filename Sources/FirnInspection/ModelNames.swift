package import FirnLog
import FirnModel
import Foundation

/// The names of a model's entities and properties, for quick looking up.
package struct ModelNames: Sendable {
    private let entities: [EntityNumber: LogEntity]
    /// The attributes that the model itself says to name objects by.
    private let displaySlots: [EntityNumber: UInt16]
    /// The numbers that were added to the keys of entities since, where names are those of a later model.
    private var keyOffsets: [EntityNumber: Int64] = [:]
    /// Where values are that are not in rows and records.
    private let externalValues: ExternalValues?

    package init(_ model: LogModel, _ externalValues: ExternalValues? = nil) {
        self.externalValues = externalValues
        entities = Dictionary(model.entities.map { ($0.number, $0) }) { first, _ in first }
        displaySlots = Self.displaySlots(model)
    }

    /// The names that a later model has for the entities, properties and objects of one.
    fileprivate init(_ names: ModelNames, _ steps: MigrationSteps, from model: LogModel, to later: LogModel) {
        (displaySlots, externalValues) = (names.displaySlots, names.externalValues)
        let renamed = steps.renamed(model, as: later)
        entities = Dictionary(renamed.entities.map { ($0.number, $0) }) { first, _ in first }
        keyOffsets = entities.mapValues { steps.keyOffset(of: $0.number) }
    }

    /// The user info of entities under this key is the name of the attribute that people know an object by.
    private static let displayNameKey = "displayName"

    private static func displaySlots(_ model: LogModel) -> [EntityNumber: UInt16] {
        guard String(decoding: model.document, as: UTF8.self).contains(displayNameKey),
            let described = try? NSManagedObjectModel.load(document: model.document, name: "").model
        else { return [:] }
        var slots: [EntityNumber: UInt16] = [:]
        for entity in model.entities {
            let line = sequence(first: described.entitiesByName[entity.name]) { $0?.superentity }
            let name = line.lazy.compactMap { $0?.userInfo?[displayNameKey] as? String }.first
            slots[entity.number] = entity.properties.firstIndex { $0.name == name && $0.isAttribute }.map(UInt16.init)
        }
        return slots
    }

    package func entity(_ number: EntityNumber) -> String {
        entities[number]?.name ?? "entity \(number.rawValue)"
    }

    /// The value that the bytes stand for; they themselves if they are no reference. Throws `damaged`, with the file's
    /// path, for a reference to a value that cannot be read.
    package func value(_ bytes: [UInt8]) throws(LogError) -> [UInt8] {
        guard let externalValues, let reference = ExternalReference(bytes: bytes) else { return bytes }
        return try externalValues.value(of: reference)
    }

    /// The first bytes of a value, at most `count`: enough to see what kind of file it is. Empty for a file that is
    /// missing.
    package func firstBytes(_ count: Int, of bytes: [UInt8]) -> [UInt8] {
        guard let externalValues, let reference = ExternalReference(bytes: bytes) else {
            return Array(bytes.prefix(count))
        }
        let file = FileHandle(forReadingAtPath: externalValues.path(of: reference))
        return [UInt8]((try? file?.read(upToCount: count)) ?? Data())
    }

    /// The size of a large value and its file; nil for bytes that are no reference.
    func external(_ bytes: [UInt8]) -> String? {
        guard let reference = ExternalReference(bytes: bytes) else { return nil }
        let isMissing = externalValues.map { !$0.has(reference) } ?? false
        return "\(reference.size) bytes in external/\(reference.fileName)" + (isMissing ? ", which is missing" : "")
    }

    /// `Person/1`
    package func object(_ key: ObjectKey) -> String {
        "\(entity(key.entity))/\(key.primaryKey + (keyOffsets[key.entity] ?? 0))"
    }

    /// The object's key under its root entity.
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

    /// The to-many relationships of an entity.
    func toManySlots(of number: EntityNumber) -> [(slot: UInt16, property: LogProperty)] {
        (entities[number]?.properties ?? []).enumerated().compactMap { slot, property in
            if case .toMany = property.kind { (UInt16(slot), property) } else { nil }
        }
    }

    /// The names of an entity's properties.
    package func properties(of number: EntityNumber) -> [String] { entities[number]?.namedProperties.map(\.name) ?? [] }

    private static let titles = ["displayname", "name", "title", "number", "identifier"]

    private static let titleMax = 40

    /// The name that people know an object of an entity by: the best of its attributes that has a value, in 40
    /// characters. Nil if there is none.
    package func title(of number: EntityNumber, _ value: (_ slot: UInt16) -> PropertyValue?) -> String? {
        for slot in titleSlots(of: number) {
            guard let found = value(slot), !found.isNull else { continue }
            let text = ValueText(value: found, property: property(slot, of: number), names: self).text ?? ""
            if !text.isEmpty { return text.count <= Self.titleMax ? text : text.prefix(Self.titleMax) + "…" }
        }
        return nil
    }

    /// `Reader/46 “Anna”`: an object, and what people know it by if it has that.
    package func named(_ key: ObjectKey, _ lookup: RecordSentence.Lookup) -> String {
        object(key) + (title(of: key.entity) { lookup(key, $0) }.map { " “\($0)”" } ?? "")
    }

    /// The attributes that say what people call an object of an entity, the best one first.
    private func titleSlots(of number: EntityNumber) -> [UInt16] {
        let properties = entities[number]?.properties ?? []
        return [displaySlots[number]].compactMap(\.self) + Self.titles.compactMap { title in
            properties.firstIndex { $0.isAttribute && $0.name.lowercased() == title }.map(UInt16.init)
        }
    }

    /// Nil for a number that the model does not have: then the log was written wrong.
    package func property(_ slot: UInt16, of number: EntityNumber) -> LogProperty? {
        guard let properties = entities[number]?.properties, Int(slot) < properties.count else {
            return nil
        }
        return properties[Int(slot)]
    }
}

extension LogProperty {
    fileprivate var isAttribute: Bool { if case .attribute = kind { true } else { false } }
}

extension LogProperty.Kind {
    fileprivate func leads(to entity: EntityNumber) -> Bool {
        if case .toMany(entity, nil, _, false) = self { true } else { false }
    }
}

/// The models of a log, each read once.
package struct ModelLibrary {
    private let log: SegmentLog
    private var names: [[SequenceNumber]: ModelNames] = [:]

    package init(_ log: SegmentLog) { self.log = log }

    package mutating func names(at sequence: SequenceNumber) throws -> ModelNames {
        try names(at: sequence, namedAt: sequence)
    }

    /// The names of a model's entities, properties and objects in a later model, by the record that carries it.
    package mutating func names(
        at sequence: SequenceNumber, namedAt later: SequenceNumber
    ) throws -> ModelNames {
        if let known = names[[sequence, later]] { return known }
        let model = try log.model(at: sequence)
        var made = ModelNames(model, log.externalValues)
        let steps = try log.migrations(from: sequence, to: later)
        if !steps.isEmpty { made = ModelNames(made, steps, from: model, to: try log.model(at: later)) }
        names[[sequence, later]] = made
        return made
    }
}
