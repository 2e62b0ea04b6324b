import FirnInspection
import FirnLog
import Foundation

/// Makes a change set of the lines of one, in the terms of a store's model.
struct ChangeSetBuilder {
    /// Objects to which the same happened, to the same properties.
    private struct Shape: Hashable {
        var entity: EntityNumber
        var operation: ChangeGroup.Operation
        var slots: [UInt16]
    }

    /// Keys go up from 1, and new objects get those after the last. So half of all integers stay free for them.
    private static let keyMax = Int64.max / 2

    private let entities: [String: LogEntity]
    private let numbers: [EntityNumber: LogEntity]
    private var shapes: [Shape: Int] = [:]
    private var changes: ChangeSet
    /// The objects that have a group.
    private var named: Set<ObjectKey> = []
    /// The to-many relationships of objects whose links changed.
    private var linked: [ObjectKey: Set<UInt16>] = [:]

    init(_ model: LogModel, at sequence: SequenceNumber) {
        entities = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        numbers = Dictionary(model.entities.map { ($0.number, $0) }) { first, _ in first }
        changes = ChangeSet(model: sequence)
    }

    mutating func add(_ line: ChangeLine) throws(ChangeLine.Failure) {
        if let name = line.source["relationship"]?.text { return try addLink(line, name) }
        guard let name = line.source["entity"]?.text, let key = line.source["key"]?.integer else {
            throw ChangeLine.Failure(reason: "its source names neither an object nor a relationship")
        }
        let entity = try entity(name)
        guard (1...Self.keyMax).contains(key) else {
            throw ChangeLine.Failure(
                reason: "\(name)/\(key) has no key that a store gives: those are 1 to \(Self.keyMax)")
        }
        switch line.operation {
        case .created, .read: try add(entity, .insert, key, new: values(line.after, entity, "after"))
        case .updated:
            try add(
                entity, .update, key, old: values(line.before, entity, "before"),
                new: values(line.after, entity, "after"), line.source["touched"])
        case .deleted: try add(entity, .delete, key, old: values(line.before, entity, "before"))
        }
    }

    private func entity(_ name: String) throws(ChangeLine.Failure) -> LogEntity {
        guard let entity = entities[name] else {
            throw ChangeLine.Failure(
                reason: "the store's model has no entity \(name)" + Suggestion.text(for: name, among: entities.keys))
        }
        return entity
    }

    private mutating func add(
        _ entity: LogEntity, _ operation: ChangeGroup.Operation, _ key: Int64, old: [UInt16: PropertyValue]? = nil,
        new: [UInt16: PropertyValue]? = nil, _ touched: JSON? = nil
    ) throws(ChangeLine.Failure) {
        var slots = new ?? old ?? [:]
        if case .array(let names)? = touched {
            for name in names {
                let slot = try slot(name.text ?? "", entity)
                guard entity.properties[Int(slot)].storage == .none else {
                    throw ChangeLine.Failure(reason: "\(name.line) among the touched is no to-many relationship")
                }
                slots[slot] = .null
            }
        }
        if let new, let old, Set(new.keys) != Set(old.keys) {
            throw ChangeLine.Failure(reason: "before and after name different properties")
        }
        let shape = Shape(entity: entity.number, operation: operation, slots: slots.keys.sorted())
        let index = shapes[shape] ?? begin(shape, entity, hasNew: new != nil, hasOld: old != nil)
        changes.groups[index].primaryKeys.append(key)
        named.insert(ObjectKey(entity: entity.number, primaryKey: key))
        for (place, slot) in shape.slots.enumerated() {
            if new != nil { changes.groups[index].new[place].add(new?[slot]) }
            if old != nil { changes.groups[index].old[place].add(old?[slot]) }
        }
    }

    private mutating func begin(_ shape: Shape, _ entity: LogEntity, hasNew: Bool, hasOld: Bool) -> Int {
        let columns = shape.slots.map { Column(entity.properties[Int($0)].storage) }
        changes.groups.append(
            ChangeGroup(
                entity: shape.entity, operation: shape.operation, slots: shape.slots, new: hasNew ? columns : [],
                old: hasOld ? columns : []))
        shapes[shape] = changes.groups.count - 1
        return changes.groups.count - 1
    }

    private func slot(_ name: String, _ entity: LogEntity) throws(ChangeLine.Failure) -> UInt16 {
        guard let slot = entity.properties.firstIndex(where: { $0.name == name }) else {
            throw ChangeLine.Failure(
                reason: "\(entity.name) has no property \(name) in the store's model"
                    + Suggestion.text(for: name, among: entity.namedProperties.map(\.name)))
        }
        return UInt16(slot)
    }

    /// The values that a line states; none if it says null, as of an object that was erased.
    private func values(
        _ json: JSON?, _ entity: LogEntity, _ what: String
    ) throws(ChangeLine.Failure) -> [UInt16: PropertyValue] {
        if let json, json.isNull { return [:] }
        guard case .object(let object)? = json else {
            throw ChangeLine.Failure(reason: "its \(what) is no object")
        }
        var values: [UInt16: PropertyValue] = [:]
        for (name, value) in object.all {
            let slot = try slot(name, entity)
            values[slot] = try self.value(value, entity.properties[Int(slot)], "\(entity.name).\(name)")
        }
        return values
    }

    private func value(
        _ json: JSON, _ property: LogProperty, _ name: String
    ) throws(ChangeLine.Failure) -> PropertyValue {
        if json.isNull { return .null }
        if case .toOne(let destination) = property.kind, let key = json.text.flatMap(key), isKind(key, of: destination)
        {
            return .reference(key)
        }
        if let value = ValueText.parse(json, property) {
            if case .blob(let bytes) = value, let reference = ExternalReference(bytes: bytes) {
                throw ChangeLine.Failure(
                    reason: "\(name) is a reference to the file \(reference.fileName), not the value in it; export it "
                        + "again from a store that has the file")
            }
            return value
        }
        throw ChangeLine.Failure(reason: "\(json.line) is no value of \(name)")
    }

    /// `Person/1`
    private func key(_ text: String) -> ObjectKey? {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let entity = entities[String(parts[0])], let key = Int64(parts[1]) else { return nil }
        return ObjectKey(entity: entity.number, primaryKey: key)
    }

    /// Whether the object is of an entity, or of one below it.
    private func isKind(_ key: ObjectKey, of entity: EntityNumber) -> Bool {
        var next: EntityNumber? = key.entity
        while let current = next, current != entity { next = numbers[current]?.parent }
        return next != nil
    }

    /// The change set with a change of each object whose members changed: as a save does, which touches both ends.
    mutating func finished() -> ChangeSet {
        for (key, slots) in linked.sorted(by: { $0.key < $1.key }) where !named.contains(key) {
            let shape = Shape(entity: key.entity, operation: .update, slots: slots.sorted())
            guard let entity = numbers[key.entity] else { continue }
            let index = shapes[shape] ?? begin(shape, entity, hasNew: true, hasOld: true)
            changes.groups[index].primaryKeys.append(key.primaryKey)
            for place in shape.slots.indices {
                changes.groups[index].new[place].appendTouched()
                changes.groups[index].old[place].appendTouched()
            }
        }
        linked = [:]
        return changes
    }

    /// The other side of a link's relationship, where the model has one side that it can be.
    private func otherSide(_ link: Link) -> UInt16? {
        let properties = numbers[link.destination.entity]?.properties ?? []
        let sides = properties.indices.filter { index in
            guard case .toMany(let destination, nil, _, false) = properties[index].kind else { return false }
            return isKind(link.source, of: destination)
        }
        return sides.count == 1 ? UInt16(sides[0]) : nil
    }

    private mutating func addLink(_ line: ChangeLine, _ name: String) throws(ChangeLine.Failure) {
        let parts = name.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { throw ChangeLine.Failure(reason: "\(name) names no relationship") }
        let entity = try entity(String(parts[0]))
        let slot = try slot(String(parts[1]), entity)
        let ends = line.operation == .deleted ? line.before : line.after
        guard case .toMany(let members, nil, _, true) = entity.properties[Int(slot)].kind,
            let source = ends?["source"]?.text.flatMap(key), isKind(source, of: entity.number),
            let destination = ends?["destination"]?.text.flatMap(key), isKind(destination, of: members)
        else { throw ChangeLine.Failure(reason: "it does not name the two objects of a link of \(name)") }
        let link = Link(
            source: source, destination: destination, sourceOrder: ends?["sourceOrder"]?.integer ?? 0,
            destinationOrder: ends?["destinationOrder"]?.integer ?? 0)
        linked[source, default: []].insert(slot)
        if let other = otherSide(link) { linked[destination, default: []].insert(other) }
        var index = changes.links.firstIndex { $0.entity == entity.number && $0.slot == slot }
        if index == nil {
            changes.links.append(LinkGroup(entity: entity.number, slot: slot))
            index = changes.links.count - 1
        }
        if line.operation == .deleted {
            changes.links[index!].removed.append(link)
        } else {
            changes.links[index!].added.append(link)
        }
    }
}

extension Column {
    /// Appends a value, or that members changed.
    fileprivate mutating func add(_ value: PropertyValue?) {
        if type == .none { appendTouched() } else { append(value ?? .null) }
    }
}
