#if SwiftData
public import Foundation

/// The policy of a save for a model that has the unique values of another one. Ours, not Apple's, which always upserts.
public enum UniqueConflictPolicy: String, Codable, Hashable, Sendable {
    /// The values go over to the model that is there, and the inserted model stands for it. As Apple's.
    case upsert
    /// The save throws, and nothing is saved.
    case `throw`
    /// The model that is there stays as it is, and the inserted model stands for it. A changed model that collides with
    /// another one makes the save throw.
    case keep
}

/// A model that had the unique values of another one at a save. Ours, not Apple's.
public struct UniqueConflict: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The name of the entity that has the constraint.
    public let entityName: String
    /// The properties that are unique together.
    public let properties: [String]
    /// The policy that the save applied.
    public let policy: UniqueConflictPolicy
    /// The model that was inserted or changed. After an upsert it stands for the other one.
    public let identifier: PersistentIdentifier
    /// The model that had the values before.
    public let existing: PersistentIdentifier

    public var description: String {
        "\(entityName).\(properties.joined(separator: ", ")) of \(identifier.id.uri) has the value of "
            + existing.id.uri
    }

    public var errorDescription: String? { description }
}

extension Schema.Attribute.Option {
    /// No two models have the same value, and a policy says what a save does with a second one. Ours, not Apple's.
    public static func unique(onConflict policy: UniqueConflictPolicy) -> Schema.Attribute.Option {
        var option = unique
        option.conflictPolicy = policy
        return option
    }
}
#endif
