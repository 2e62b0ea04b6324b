#if SwiftData
extension Schema {
    /// A version of a schema: three numbers.
    public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
        /// Changes that need a migration of one's own.
        public let major: Int
        /// Additions.
        public let minor: Int
        /// Corrections.
        public let patch: Int

        /// The version `major.minor.patch`.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        public static func < (lhs: Version, rhs: Version) -> Bool {
            (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
        }

        public var description: String { "\(major).\(minor).\(patch)" }
    }
}

/// A set of models as they were, or are, in one version of a program.
public protocol VersionedSchema {
    /// The models.
    static var models: [any PersistentModel.Type] { get }
    /// The version.
    static var versionIdentifier: Schema.Version { get }
}
#endif
