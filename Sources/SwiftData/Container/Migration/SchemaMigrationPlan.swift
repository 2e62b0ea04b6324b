#if SwiftData
/// The versions of a program's models, and how a store goes from one to the next.
public protocol SchemaMigrationPlan {
    /// The versions, oldest first.
    static var schemas: [any VersionedSchema.Type] { get }
    /// How a store goes from each version to the next.
    static var stages: [MigrationStage] { get }
}

/// How a store goes from one version to the next.
///
/// A stage may be a constant of its plan: its blocks run one after the other, for the container that is made.
public enum MigrationStage: @unchecked Sendable {
    /// By what the models themselves say.
    case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
    /// With work of one's own before, which sees the old models, and after, which sees the new ones. Both work on a
    /// copy of the store, which replaces it when all is done: if a block throws, or the process ends, it is as it was.
    case custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        willMigrate: ((_ context: ModelContext) throws -> Void)?,
        didMigrate: ((_ context: ModelContext) throws -> Void)?)
    /// With work of one's own that has old and new models side by side. Ours, not Apple's.
    ///
    /// `old` reads the store as it was. `new` has the models that the lightweight migration made, and is saved when
    /// the block returns. `new.counterpart(of:as:)` finds the new model of an old one. The store is replaced when all
    /// is done, as with `custom`.
    case sideBySide(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        migrate: (_ old: ModelContext, _ new: ModelContext) throws -> Void)

    /// Whether there is no work of one's own.
    var isLightweight: Bool {
        switch self {
        case .lightweight, .custom(_, _, nil, nil): true
        case .custom, .sideBySide: false
        }
    }

    var from: any VersionedSchema.Type {
        switch self {
        case .lightweight(let from, _), .custom(let from, _, _, _), .sideBySide(let from, _, _): from
        }
    }

    var to: any VersionedSchema.Type {
        switch self {
        case .lightweight(_, let to), .custom(_, let to, _, _), .sideBySide(_, let to, _): to
        }
    }
}
#endif
