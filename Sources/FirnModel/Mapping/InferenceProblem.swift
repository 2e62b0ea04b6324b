public import Foundation

/// Why a mapping between two models cannot be inferred: one place, what is wrong there, and a remedy.
public struct InferenceProblem: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The kind of problem.
    public enum Kind: Hashable, Sendable {
        /// An attribute has another type, to which values cannot be converted.
        case attributeType(from: String, to: String)
        /// A mandatory attribute for which existing objects have no value.
        case missingDefault
        /// A relationship to many became one to a single object.
        case toManyToToOne
        /// An attribute is renamed to a relationship, or the other way round.
        case propertyKind
        /// Objects that are related now could not be afterwards: those of the named entity.
        case relationshipDestination(String)
        /// Separate hierarchies would get one new common parent: their roots.
        case mergedHierarchies([String])
        /// Others have the same renaming identifier: it, and their names.
        case sharedIdentifier(String, [String])
    }

    /// The entity of the newer model.
    public var entity: String
    /// The property there; nil where the entity as a whole is meant.
    public var property: String?
    /// The kind of problem.
    public var kind: Kind

    init(_ entity: NSEntityDescription, _ property: NSPropertyDescription? = nil, _ kind: Kind) {
        self.entity = entity.name ?? ""
        self.property = property?.name
        self.kind = kind
    }

    /// `Entity` or `Entity.property`.
    public var place: String { property.map { "\(entity).\($0)" } ?? entity }

    /// The reason, without the place.
    public var reason: String {
        switch kind {
        case .attributeType(let from, let to):
            "Source and destination attribute types are incompatible: \(from) cannot become \(to)"
        case .missingDefault: "Validation error missing attribute values on mandatory destination attribute"
        case .toManyToToOne: "a to-many relationship cannot become a to-one"
        case .propertyKind: "its renaming identifier names an attribute that it cannot become, or a relationship"
        case .relationshipDestination(let name):
            "the related objects of entity \(name) are not in the relationship's new destination"
        case .mergedHierarchies(let roots):
            "\(roots.joined(separator: " and ")) shared no parent before, so they cannot share one now"
        case .sharedIdentifier(let identifier, let others):
            "it has the renaming identifier '\(identifier)', which \(others.joined(separator: ", ")) has too"
        }
    }

    /// The remedy for a person.
    public var remedy: String {
        switch kind {
        case .attributeType:
            "give the new attribute another name, or convert the values with a mapping model or a custom stage"
        case .missingDefault: "give the attribute a default value, make it optional, or fill it in a custom stage first"
        case .toManyToToOne: "choose the one object with a mapping model or a custom stage"
        case .propertyKind: "remove the renaming identifier, or convert with a mapping model"
        case .relationshipDestination: "map the relationship with a mapping model"
        case .sharedIdentifier: "leave the renaming identifier to one of them"
        case .mergedHierarchies: "keep them apart, or use a mapping model"
        }
    }

    public var description: String { "\(place): \(reason); \(remedy)" }

    public var errorDescription: String? { description }
}
