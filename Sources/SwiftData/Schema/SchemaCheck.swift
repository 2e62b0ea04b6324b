#if SwiftData
import FirnModel

/// Finds what is wrong with a schema, before a store is opened with it.
struct SchemaCheck {
    let schema: Schema

    /// A sentence for each problem; empty for a good schema.
    var problems: [String] {
        let shapes = schema.types.map(ModelShape.of)
        return nameProblems + shapes.flatMap(\.ownProperties).compactMap(\.problem)
            + shapes.flatMap { shape in shape.ownProperties.compactMap { inverseProblem($0, of: shape) } }
            + schema.entities.flatMap(problems)
    }

    private var nameProblems: [String] {
        let named = Dictionary(grouping: schema.types) { String(describing: $0) }.filter { $1.count > 1 }
        let models = named.sorted { $0.key < $1.key }.map { name, types in
            "two models are named \(name): " + types.map { String(reflecting: $0) }.sorted().joined(separator: " and ")
        }
        if !models.isEmpty { return models }
        return schema.entitiesByName.count == schema.entities.count ? [] : ["two entities have one name"]
    }

    /// A relationship names an inverse that does not lead back, or leads back to another relationship.
    private func inverseProblem(_ property: ModelShape.Property, of shape: ModelShape) -> String? {
        guard let said = (property.metadata as? Schema.Relationship)?.inverseKeyPath,
            let relationship = property.relationship
        else { return nil }
        let name = "\(shape.type).\(property.name)", other = ModelShape.of(relationship.destination)
        guard let inverse = other.property(for: said) else {
            return "\(name) has the inverse \(said), which is no saved property of \(other.type)"
        }
        guard let back = inverse.relationship else {
            return "\(name) has the inverse \(other.type).\(inverse.name), which is an attribute"
        }
        guard shape.type == back.destination else {
            return "\(name) has the inverse \(other.type).\(inverse.name), which leads to \(back.destination)"
        }
        guard other.declares(inverse) else {
            return "\(name) has the inverse \(other.type).\(inverse.name), which models of the superclass have, too: "
                + "declare it in \(other.type), or let \(name) lead to the superclass"
        }
        guard let first = other.inverse(of: inverse), first !== property else { return nil }
        return "\(other.type).\(inverse.name) is the inverse of \(first.name) and of \(name): it can be that of one"
    }

    private func problems(of entity: Schema.Entity) -> [String] {
        let relationships = entity.storedProperties.compactMap { $0 as? Schema.Relationship }
        return relationships.compactMap { problem(of: $0, entity) }
            + entity.storedProperties.filter { PropertyName.isReserved($0.name) }.map {
                "\(entity.name).\($0.name): the managed objects behind models need this name"
            }
            + entity.uniquenessConstraints.flatMap { $0 }.compactMap { constraintProblem($0, entity) }
            + entity.indices.flatMap { $0 }.filter { property(of: $0, entity) == nil }.map {
                "\(entity.name) has an index of \($0), which is no saved property of it"
            }
    }

    private func problem(of relationship: Schema.Relationship, _ entity: Schema.Entity) -> String? {
        let name = "\(entity.name).\(relationship.name)"
        guard let destination = schema.entitiesByName[relationship.destination] else {
            return "\(name) leads to \(relationship.destination), which is no model of the schema"
        }
        if let inverse = relationship.inverseName, destination.relationshipsByName[inverse] == nil,
            destination.attributesByName[inverse] == nil
        {
            return "\(name) has the inverse \(inverse), which is no property of \(destination.name)"
        }
        let (least, greatest) = (relationship.minimumModelCount ?? 0, relationship.maximumModelCount ?? 0)
        if greatest > 0, least > greatest { return "\(name) has at least \(least) models and at most \(greatest)" }
        return nil
    }

    /// The property that has a column, which may be a structure's part.
    private func property(of column: String, _ entity: Schema.Entity) -> (any SchemaProperty)? {
        let own = column.prefix { $0 != "." }
        return entity.properties.first { $0.name == own }
    }

    private func constraintProblem(_ name: String, _ entity: Schema.Entity) -> String? {
        guard let property = property(of: name, entity) else {
            return "\(entity.name) has unique values of \(name), which is no saved property of it"
        }
        if property.isTransient { return "\(entity.name).\(name) is unique and not stored: values cannot be compared" }
        guard let relationship = property as? Schema.Relationship, !relationship.isToOneRelationship else { return nil }
        return "\(entity.name).\(name) is unique and leads to many models: only one to one model can be"
    }
}
#endif
