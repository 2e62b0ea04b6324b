import TestSupport

/// A model that changes at random, as the text that `ModelText` reads.
///
/// Names are used again after their owners are gone, and may be those of others elsewhere in the hierarchy; along a
/// line of entities each is there once.
struct RandomSchema {
    struct Attribute {
        var name: String
        var former: String?
        var type: String
        var isMandatory = false
        var initial: String?
        var isTransient = false
        var isExternal = false
    }

    struct Entity {
        var name: String
        var former: String?
        var parent: Int?
        var isAbstract = false
        var attributes: [Attribute] = []
        /// The name of an attribute that has an index.
        var index: String?
    }

    /// One side of a relationship.
    struct End {
        var entity: Int
        var name: String
        var former: String?
        var isToMany: Bool
        var isOrdered = false
    }

    var generator: SeededGenerator
    private(set) var entities: [Int: Entity] = [:]
    /// Relationships: with their inverses, or alone.
    private(set) var links: [[End]] = []
    private var count = 0
    private static let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    private static let entityNames = ["Ape", "Bee", "Cat", "Dog", "Eel", "Fox"]
    private static let types = [
        "String", "Integer16", "Integer32", "Integer64", "Double", "Float", "Boolean", "Decimal", "Date", "Binary",
        "UUID", "URI", "Transformable",
    ]

    init(_ generator: SeededGenerator) {
        self.generator = generator
        for _ in 0..<Int.random(in: 1...3, using: &self.generator) { addEntity() }
        for id in ids { for _ in 0..<2 { addAttribute(id) } }
        for _ in 0..<2 { addLink() }
    }

    var text: String {
        ids.map { id in
            let entity = entities[id]!
            var line = (entity.isAbstract ? "abstract " : "") + entity.name
            if let parent = entity.parent { line += " < \(entities[parent]!.name)" }
            if let former = entity.former { line += " was \(former)" }
            var properties = entity.attributes.map(text)
            for link in links {
                for (index, end) in link.enumerated() where end.entity == id {
                    properties.append(text(end, link[link.count - 1 - index], hasInverse: link.count == 2))
                }
            }
            if let index = entity.index { properties.append("index \(index)") }
            return properties.isEmpty ? line : line + ": " + properties.joined(separator: ", ")
        }.joined(separator: "\n")
    }

    private func text(_ attribute: Attribute) -> String {
        (attribute.isMandatory ? "!" : "") + "\(attribute.name) \(attribute.type)"
            + (attribute.initial.map { " = \($0)" } ?? "") + (attribute.former.map { " was \($0)" } ?? "")
            + (attribute.isTransient ? " transient" : "") + (attribute.isExternal ? " external" : "")
    }

    private func text(_ end: End, _ other: End, hasInverse: Bool) -> String {
        "\(end.name) " + (end.isToMany ? "->>" : "->") + " \(entities[target(end, other, hasInverse)]!.name)"
            + (hasInverse ? ".\(other.name)" : "") + (end.isOrdered ? " ordered" : "")
            + (end.former.map { " was \($0)" } ?? "")
    }

    /// The entity that an end leads to. A relationship without an inverse leads to objects of its own entity.
    private func target(_ end: End, _ other: End, _ hasInverse: Bool) -> Int { hasInverse ? other.entity : end.entity }

    private var ids: [Int] { entities.keys.sorted() }

    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    /// The next version: what was renamed before is sometimes still said to be, sometimes no longer.
    mutating func change() {
        if chance(2) { removeFormerNames() }
        for _ in 0..<Int.random(in: 1...4, using: &generator) { changeOnce() }
    }

    private mutating func removeFormerNames() {
        for id in ids {
            entities[id]!.former = nil
            for index in entities[id]!.attributes.indices { entities[id]!.attributes[index].former = nil }
        }
        for index in links.indices { for end in links[index].indices { links[index][end].former = nil } }
    }

    private mutating func changeOnce() {
        guard let id = ids.randomElement(using: &generator) else { return addEntity() }
        switch Int.random(in: 0..<19, using: &generator) {
        case 0..<2: addAttribute(id)
        case 2: removeAttribute(id)
        case 3..<5: renameAttribute(id)
        case 5: swapAttributes(id)
        case 6..<8: changeAttribute(id)
        case 8: pullUp(id)
        case 9: pushDown(id)
        case 10: addEntity()
        case 11: removeEntity(id)
        case 12: renameEntity(id)
        case 13: moveEntity(id)
        case 14: entities[id]!.isAbstract.toggle()
        case 15: addLink()
        case 16: changeIndex(id)
        default: changeLink()
        }
    }

    /// A name that no property of the entity, of those above it and of those below it has.
    private mutating func freeName(_ id: Int) -> String? {
        Self.names.filter { !usedNames(id).contains($0) }.randomElement(using: &generator)
    }

    private func line(_ id: Int) -> Set<Int> {
        Set(ids.filter { isKind($0, of: id) || isKind(id, of: $0) })
    }

    private func isKind(_ id: Int, of other: Int) -> Bool {
        id == other || entities[id]!.parent.map { isKind($0, of: other) } ?? false
    }

    private func usedNames(_ id: Int) -> Set<String> { line(id).reduce(into: []) { $0.formUnion(ownNames($1)) } }

    private func ownNames(_ id: Int) -> [String] {
        entities[id]!.attributes.map(\.name) + links.joined().filter { $0.entity == id }.map(\.name)
    }

    private mutating func addAttribute(_ id: Int) {
        guard let name = freeName(id), let type = Self.types.randomElement(using: &generator) else { return }
        var attribute = Attribute(name: name, type: type)
        if chance(3) { (attribute.isMandatory, attribute.initial) = (true, initial(type)) }
        if chance(4) { attribute.initial = initial(type) }
        attribute.isTransient = chance(12)
        attribute.isExternal = type == "Binary" && chance(2)
        entities[id]!.attributes.append(attribute)
    }

    private func initial(_ type: String) -> String? {
        switch type {
        case "String": "unknown"
        case "Boolean": "YES"
        case "Double", "Float", "Decimal": "2.5"
        case _ where type.hasPrefix("Integer"): "7"
        default: nil
        }
    }

    private mutating func pick(_ id: Int) -> Int? { entities[id]!.attributes.indices.randomElement(using: &generator) }

    private mutating func removeAttribute(_ id: Int) {
        guard let index = pick(id) else { return }
        let name = entities[id]!.attributes.remove(at: index).name
        if entities[id]!.index == name { entities[id]!.index = nil }
    }

    private mutating func renameAttribute(_ id: Int) {
        guard let index = pick(id), let name = freeName(id) else { return }
        let old = entities[id]!.attributes[index].name
        if entities[id]!.index == old { entities[id]!.index = name }
        entities[id]!.attributes[index].name = name
        entities[id]!.attributes[index].former = chance(4) ? nil : old
    }

    private mutating func swapAttributes(_ id: Int) {
        guard entities[id]!.attributes.count > 1 else { return }
        let (one, two) = (entities[id]!.attributes[0].name, entities[id]!.attributes[1].name)
        (entities[id]!.attributes[0].name, entities[id]!.attributes[0].former) = (two, one)
        (entities[id]!.attributes[1].name, entities[id]!.attributes[1].former) = (one, two)
    }

    private mutating func changeAttribute(_ id: Int) {
        guard let index = pick(id) else { return }
        var attribute = entities[id]!.attributes[index]
        switch Int.random(in: 0..<5, using: &generator) {
        case 3: if chance(2) { attribute.isTransient.toggle() }
        case 4: attribute.isExternal.toggle()
        case 0:
            attribute.isMandatory.toggle()
            if attribute.isMandatory { attribute.initial = initial(attribute.type) }
        case 1:
            let wider = ["Boolean": "Integer16", "Integer16": "Integer64", "Integer32": "Double", "Float": "Double"]
            attribute.type = wider[attribute.type] ?? "Integer32"
            if chance(3) { attribute.type = Self.types.randomElement(using: &generator)! }
            if attribute.initial != nil { attribute.initial = initial(attribute.type) }
        default: attribute.initial = attribute.initial == nil || attribute.isMandatory ? initial(attribute.type) : nil
        }
        entities[id]!.attributes[index] = attribute
    }

    /// Moves an attribute to the parent, from all children that have one of its name and type.
    private mutating func pullUp(_ id: Int) {
        guard let parent = entities[id]!.parent, let index = pick(id) else { return }
        let attribute = entities[id]!.attributes[index]
        for other in ids where entities[other]!.parent == parent {
            entities[other]!.attributes.removeAll { $0.name == attribute.name && $0.type == attribute.type }
            if entities[other]!.index == attribute.name { entities[other]!.index = nil }
        }
        if !usedNames(parent).contains(attribute.name) { entities[parent]!.attributes.append(attribute) }
    }

    /// Moves an attribute to all children.
    private mutating func pushDown(_ id: Int) {
        let children = ids.filter { entities[$0]!.parent == id }
        guard !children.isEmpty, let index = pick(id) else { return }
        let attribute = entities[id]!.attributes.remove(at: index)
        if entities[id]!.index == attribute.name { entities[id]!.index = nil }
        for child in children { entities[child]!.attributes.append(attribute) }
    }

    private mutating func changeIndex(_ id: Int) {
        entities[id]!.index = entities[id]!.index == nil ? pick(id).map { entities[id]!.attributes[$0].name } : nil
    }

    private mutating func freeEntityName() -> String? {
        let taken = Set(entities.values.map(\.name))
        return Self.entityNames.filter { !taken.contains($0) }.randomElement(using: &generator)
    }

    private mutating func addEntity() {
        guard let name = freeEntityName() else { return }
        count += 1
        entities[count] = Entity(name: name, parent: chance(2) ? ids.randomElement(using: &generator) : nil)
        addAttribute(count)
        // A parent for one that had none.
        guard chance(3), let child = ids.first(where: { entities[$0]!.parent == nil && $0 != count }) else { return }
        move(child, below: count)
    }

    private mutating func removeEntity(_ id: Int) {
        guard entities.count > 1 else { return }
        let parent = entities[id]!.parent
        for child in ids where entities[child]!.parent == id { entities[child]!.parent = parent }
        links.removeAll { $0.contains { $0.entity == id } }
        entities[id] = nil
    }

    private mutating func renameEntity(_ id: Int) {
        guard let name = freeEntityName() else { return }
        entities[id]!.former = chance(4) ? nil : entities[id]!.name
        entities[id]!.name = name
    }

    private mutating func moveEntity(_ id: Int) {
        move(id, below: chance(3) ? nil : ids.randomElement(using: &generator))
    }

    /// Gives an entity another parent, if that is not below it and no name would be there twice.
    private mutating func move(_ id: Int, below parent: Int?) {
        if let parent, isKind(parent, of: id) { return }
        let old = entities[id]!.parent
        entities[id]!.parent = parent
        if hasDuplicates(id) { entities[id]!.parent = old }
    }

    /// Whether a name is there twice along a line from an entity to one below it.
    private func hasDuplicates(_ id: Int) -> Bool {
        ids.filter { isKind($0, of: id) }.contains { below in
            let names = ids.filter { isKind(below, of: $0) }.flatMap(ownNames)
            return Set(names).count < names.count
        }
    }

    private mutating func addLink() {
        guard let one = ids.randomElement(using: &generator), let two = ids.randomElement(using: &generator),
            let name = freeName(one)
        else { return }
        let first = End(entity: one, name: name, isToMany: chance(2))
        links.append([first])
        guard !chance(4), let inverse = freeName(two) else { return }
        links[links.count - 1].append(End(entity: two, name: inverse, isToMany: chance(2)))
    }

    private mutating func changeLink() {
        guard let index = links.indices.randomElement(using: &generator) else { return }
        guard !chance(5) else {
            links.remove(at: index)
            return
        }
        let side = Int.random(in: links[index].indices, using: &generator)
        var end = links[index][side]
        switch Int.random(in: 0..<5, using: &generator) {
        case 0..<2:
            guard let name = freeName(end.entity) else { return }
            (end.former, end.name) = (chance(4) ? nil : end.name, name)
        case 2: end.isToMany.toggle()
        case 3: end.isOrdered.toggle()
        default:
            // Up to the parent, or down to a child.
            let old = end.entity
            let children = ids.filter { entities[$0]!.parent == old }
            guard let entity = (chance(2) ? entities[old]!.parent : nil) ?? children.randomElement(using: &generator)
            else { return }
            links[index][side].entity = entity
            if hasDuplicates(entity) { links[index][side].entity = old }
            return
        }
        if !end.isToMany { end.isOrdered = false }
        links[index][side] = end
    }
}
