import FirnModel

/// The methods that change a to-many relationship of a generated class: `addToBooks`, `removeFromBooks`, and for an
/// ordered one those that name a place.
struct GeneratedMembers {
    private let relationship: NSRelationshipDescription
    private let access: String

    init(_ relationship: NSRelationshipDescription, access: String) {
        self.relationship = relationship
        self.access = access
    }

    /// The methods, indented by one step.
    var text: String {
        let member = (relationship.destinationEntity?.swiftClassName ?? "NSManagedObject")
            .asIdentifier
        let name = relationship.name.capitalizedFirst
        let set = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        let all = relationship.isOrdered ? "values.array" : "values.allObjects"
        let union = change("for value in \(all) { members.add(value) }")
        let minus = change("for value in \(all) { members.remove(value) }")
        var methods = [
            method("addTo\(name)(_ value: \(member))", change("members.add(value)")),
            method("removeFrom\(name)(_ value: \(member))", change("members.remove(value)")),
            method("addTo\(name)(_ values: \(set))", union),
            method("removeFrom\(name)(_ values: \(set))", minus),
        ]
        if relationship.isOrdered { methods += orderedMethods(name, member) }
        return methods.joined(separator: "\n")
    }

    private func orderedMethods(_ name: String, _ member: String) -> [String] {
        [
            method(
                "insertInto\(name)(_ value: \(member), at index: Int)",
                change("members.insert(value, at: index)")),
            method("removeFrom\(name)(at index: Int)", change("members.removeObject(at: index)")),
            method(
                "replace\(name)(at index: Int, with value: \(member))",
                change("members.replaceObject(at: index, with: value)")),
        ]
    }

    private func method(_ signature: String, _ body: [String]) -> String {
        let lines = body.map { "        \($0)\n" }.joined()
        return "    \(access)func \(signature) {\n\(lines)    }\n"
    }

    /// The set is the relationship itself: no member is copied for it.
    private func change(_ statement: String) -> [String] {
        let method = relationship.isOrdered ? "mutableOrderedSetValue" : "mutableSetValue"
        return ["let members = self.\(method)(forKey: \(relationship.name.asLiteral))", statement]
    }
}
