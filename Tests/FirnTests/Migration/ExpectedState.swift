import FirnModel
import Foundation

/// What of a store's state must be there after a migration: told from the two models, not from what migrates.
struct ExpectedState {
    private let matching: ModelMatching
    private let before: StoreState

    init(_ before: StoreState, from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
        self.before = before
        matching = ModelMatching(from: old, to: new)
    }

    /// What is wrong with the state after the migration, in words.
    func differences(_ after: StoreState) -> [String] {
        matching.destination.entities.filter { !$0.isAbstract }.flatMap { entity -> [String] in
            let name = entity.name!
            guard let old = matching.source(of: entity) else {
                return after.count(name) == 0 ? [] : ["\(name) is new, but has objects"]
            }
            var found: [String] = []
            let count = (before.count(old.name!), after.count(name))
            if count.0 != count.1 { found.append("\(name) had \(count.0) objects, has \(count.1)") }
            for (object, values) in before.objects where object.hasPrefix(old.name! + "/") {
                let now = after[renamed(object, after) ?? ""]
                for property in entity.properties { check(property, entity, object, values, now, after, &found) }
            }
            return found
        }
    }

    /// Whether the order of members was there before.
    func keepsOrder(_ relationship: NSRelationshipDescription) -> Bool {
        let source = matching.source(of: relationship, in: relationship.entity) as? NSRelationshipDescription
        return relationship.isOrdered && source?.isOrdered == true
    }

    private func check(
        _ property: NSPropertyDescription, _ entity: NSEntityDescription, _ object: String,
        _ values: [String: String], _ now: [String: String], _ after: StoreState, _ found: inout [String]
    ) {
        guard !property.isTransient, let source = matching.source(of: property, in: entity), !source.isTransient
        else { return }
        var expected = values[source.name] ?? ""
        var actual = now[property.name] ?? ""
        if property is NSAttributeDescription {
            (expected, actual) = (number(expected), number(actual))
            // A null became the default of a mandatory attribute.
            if expected.isEmpty, !property.isOptional {
                expected = (property as? NSAttributeDescription)?.defaultValue.map { number("\($0)") } ?? ""
            }
        } else {
            let isOrdered = [property, source].allSatisfy { ($0 as? NSRelationshipDescription)?.isOrdered == true }
            let inverse = (property as? NSRelationshipDescription)?.inverseRelationship?.name
            expected = members(expected, isOrdered) { object in
                // An entity that moves elsewhere may lose the inverse.
                guard let now = renamed(object, after), let entity = self.entity(of: now) else { return nil }
                return inverse.map { entity.relationshipsByName[$0] != nil } ?? true ? now : nil
            }
            actual = members(actual, isOrdered) { $0 }
        }
        if expected != actual { found.append("\(object).\(property.name) was \(expected), is \(actual)") }
    }

    /// A number as a text that does not depend on its type.
    private func number(_ text: String) -> String {
        let truth = ["true": "1", "false": "0"][text] ?? text
        return Double(truth).map { "\($0)" } ?? text
    }

    private func members(_ text: String, _ isOrdered: Bool, _ name: (String) -> String?) -> String {
        let names = text.split(separator: " ").compactMap { name(String($0)) }
        return (isOrdered ? names : names.sorted()).joined(separator: " ")
    }

    /// An object's name in the new model. In a hierarchy that was another one all keys of an entity are higher by one
    /// number.
    private func renamed(_ object: String, _ after: StoreState? = nil) -> String? {
        let parts = object.split(separator: "/").map(String.init)
        guard let old = matching.source.entitiesByName[parts[0]], let new = matching.destination(of: old) else {
            return nil
        }
        let first = (before.firstKey(old.name!), after?.firstKey(new.name!))
        guard case (let then?, let now?) = first, let key = Int(parts[1].dropFirst()) else {
            return "\(new.name!)/\(parts[1])"
        }
        return "\(new.name!)/p\(key + now - then)"
    }

    private func entity(of object: String) -> NSEntityDescription? {
        matching.destination.entitiesByName[String(object.prefix { $0 != "/" })]
    }

    /// Whether there are objects that the new model has no place for, that lead to such, or of which several lead to
    /// one that has room for one.
    var hasMisplacedObjects: Bool {
        var targets: [String: Set<String>] = [:]
        for (object, values) in before.objects {
            guard let now = renamed(object), let entity = entity(of: now) else { continue }
            if entity.isAbstract { return true }
            for relationship in entity.relationshipsByName.values {
                guard let source = matching.source(of: relationship, in: entity) else { continue }
                for member in (values[source.name] ?? "").split(separator: " ").compactMap({ renamed(String($0)) }) {
                    let destination = relationship.destinationEntity!
                    if self.entity(of: member)?.isKindOf(entity: destination) == false { return true }
                    targets["\(member) \(relationship.name)", default: []].insert(object)
                }
            }
        }
        return targets.contains { key, objects in
            let words = key.split(separator: " ").map(String.init)
            let relationship = objects.first.flatMap { renamed($0) }.flatMap(entity)?.relationshipsByName[words[1]]
            return objects.count > 1 && relationship?.inverseRelationship?.isToMany == false
        }
    }
}
