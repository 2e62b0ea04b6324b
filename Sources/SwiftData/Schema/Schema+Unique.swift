#if SwiftData
extension Schema {
    /// Combinations of properties of a model that are unique: what `#Unique` says.
    public final class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable {
        public var name = "unique"
        public var originalName = "unique"
        public var valueType: any Any.Type = T.self
        /// The combinations.
        public let constraints: [[PartialKeyPath<T>]]

        /// The policy for a second model of the same values. Ours, not Apple's.
        public let conflictPolicy: UniqueConflictPolicy

        /// The combinations of properties that are unique.
        public init(_ constraints: [PartialKeyPath<T>]...) {
            self.constraints = constraints
            conflictPolicy = .upsert
        }

        /// The combinations of properties that are unique, with a policy. Ours, not Apple's.
        public init(onConflict policy: UniqueConflictPolicy, _ constraints: [PartialKeyPath<T>]...) {
            self.constraints = constraints
            conflictPolicy = policy
        }

        public var isUnique: Bool { true }

        /// The keys of an encoded constraint.
        public enum CodingKeys: CodingKey {
            /// The names of the properties.
            case constraints
            /// The policy for a second model of the same values, unless it upserts.
            case conflictPolicy
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(constraints.map { $0.map(KeyPathNaming.name) }, forKey: .constraints)
            if conflictPolicy != .upsert { try values.encode(conflictPolicy, forKey: .conflictPolicy) }
        }

        /// A constraint that was encoded.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            constraints = try values.decode([[String]].self, forKey: .constraints)
                .map { $0.compactMap(KeyPathNaming.keyPath) }
            conflictPolicy = try values.decodeIfPresent(UniqueConflictPolicy.self, forKey: .conflictPolicy) ?? .upsert
        }

        public static func == (lhs: Unique<T>, rhs: Unique<T>) -> Bool {
            lhs.constraints == rhs.constraints && lhs.conflictPolicy == rhs.conflictPolicy
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }

        public var debugDescription: String { "unique \(constraints.map { $0.map(KeyPathNaming.name) })" }
    }

    /// Combinations of properties of a model that are indexed: what `#Index` says.
    public final class Index<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable {
        /// A combination of properties with the kind of its index.
        public enum Types<P: PersistentModel> {
            /// Ordered: for comparisons and sorting.
            case binary([PartialKeyPath<P>])
            /// Spatial: for ranges of several numbers.
            case rtree([PartialKeyPath<P>])
        }

        public var name = "index"
        public var originalName = "index"
        public var valueType: any Any.Type = T.self
        /// The combinations.
        public let indices: [Types<T>]

        /// Combinations of properties with the kinds of their indexes.
        public init(_ indices: Types<T>...) { self.indices = indices }

        /// Combinations of properties with ordered indexes.
        public init(_ binaryIndices: [PartialKeyPath<T>]...) { indices = binaryIndices.map { .binary($0) } }

        public var isUnique: Bool { false }

        var rows: [(isSpatial: Bool, keyPaths: [PartialKeyPath<T>])] {
            indices.map {
                switch $0 {
                case .binary(let keyPaths): (false, keyPaths)
                case .rtree(let keyPaths): (true, keyPaths)
                }
            }
        }

        /// The keys of an encoded index.
        public enum CodingKeys: CodingKey {
            /// The names of the properties; a spatial index begins with `rtree`.
            case indices
        }

        private static var spatialMark: String { "rtree" }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            let names = rows.map { ($0.isSpatial ? [Self.spatialMark] : []) + $0.keyPaths.map(KeyPathNaming.name) }
            try values.encode(names, forKey: .indices)
        }

        /// An index that was encoded.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            indices = try values.decode([[String]].self, forKey: .indices).map { names in
                guard names.first == Self.spatialMark else { return .binary(names.compactMap(KeyPathNaming.keyPath)) }
                return .rtree(names.dropFirst().compactMap(KeyPathNaming.keyPath))
            }
        }

        public static func == (lhs: Index<T>, rhs: Index<T>) -> Bool {
            lhs.rows.elementsEqual(rhs.rows) { $0.isSpatial == $1.isSpatial && $0.keyPaths == $1.keyPaths }
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(rows.map(\.keyPaths)) }

        public var debugDescription: String { "index \(rows.map { $0.keyPaths.map(KeyPathNaming.name) })" }
    }
}

/// Key paths of a model and the names of its properties.
private enum KeyPathNaming {
    static func name<T: PersistentModel>(of keyPath: PartialKeyPath<T>) -> String {
        ModelShape.of(T.self).property(for: keyPath)?.name ?? "\(keyPath)"
    }

    static func keyPath<T: PersistentModel>(named name: String) -> PartialKeyPath<T>? {
        ModelShape.of(T.self).property(named: name)?.keyPath as? PartialKeyPath<T>
    }
}
#endif
