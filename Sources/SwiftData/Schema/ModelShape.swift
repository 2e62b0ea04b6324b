#if SwiftData
import Firn
import protocol FirnFoundation.AnyOptional
import FirnRuntime
import Synchronization

/// The properties of a model by its class, read once.
final class ModelShape: Sendable {
    /// A property that is saved. Unchecked for its key path and its default value, which nobody changes.
    final class Property: @unchecked Sendable {
        enum Kind {
            /// Nil for a transformable attribute, whose values stores take as they are.
            case attribute(AnyColumn?)
            case relationship(RelationshipType)
        }

        let name: String
        /// The property's place among all of its model.
        let index: Int
        /// Where managed objects have it.
        let place: SlotLookup
        let keyPath: AnyKeyPath
        let kind: Kind
        let defaultValue: Any?
        /// Whether it is an attribute whose values managed objects have as they are.
        let isPlain: Bool
        /// Whether it is an ordered relationship.
        let isOrdered: Bool
        let metadata: (any SchemaProperty)?
        /// Why values of the property's type cannot be saved; nil if they can.
        let problem: String?

        init(_ row: Schema.PropertyMetadata, of model: Any.Type, index: Int) {
            self.index = index
            place = SlotLookup(row.name)
            (name, keyPath, metadata, defaultValue) = (row.name, row.keypath, row.metadata, row.defaultValue)
            let type = Swift.type(of: keyPath).valueType
            let attribute = metadata as? Schema.Attribute
            isOrdered = (metadata as? Schema.Relationship)?.options.contains(.ordered) == true
            if attribute?.isTransformable == true {
                (kind, isPlain, problem) = (.attribute(nil), false, nil)
            } else if let relationship = RelationshipType(type) {
                (kind, isPlain, problem) = (.relationship(relationship), false, nil)
            } else if let column = ColumnCache.column(for: type, isEncoded: attribute?.isCodable == true) {
                (kind, isPlain, problem) = (.attribute(column), column.isPlain && metadata?.isTransient != true, nil)
            } else {
                (kind, isPlain) = (.attribute(nil), false)
                problem = "\(model).\(row.name): a \(type) cannot be saved. Make it Codable, mark the property "
                    + "@Transient, or give it @Attribute(.transformable(by:))"
            }
        }

        var valueType: Any.Type { Swift.type(of: keyPath).valueType }

        var isOptional: Bool { valueType is any AnyOptional.Type }

        var conflictPolicy: UniqueConflictPolicy {
            (metadata as? Schema.Attribute)?.options.lazy.compactMap(\.conflictPolicy).first ?? .upsert
        }

        var relationship: RelationshipType? { if case .relationship(let type) = kind { type } else { nil } }
    }

    let type: any PersistentModel.Type
    let identifier: ObjectIdentifier
    let entityName: String
    /// Own and inherited properties, those of the root class first.
    let properties: [Property]
    let ownProperties: [Property]
    let superclass: ModelShape?
    let uniquenessConstraints: [[String]]
    /// The policies of constraints that do not upsert.
    let uniquePolicies: [[String]: UniqueConflictPolicy]
    let indices: [(isSpatial: Bool, names: [String])]
    private let byName: [String: Property]
    private let byIdentity: [UInt: Property]
    /// The identities of few properties, in their order, 0 for none: a scan is faster than a hash. Empty for many.
    private let identities: [UInt]
    private static let scannedCountMax = 16
    private let inverses = Mutex<[Int: Property?]>([:])

    private static let shapes = Mutex<[ObjectIdentifier: ModelShape]>([:])
    private static let latest = Mutex<[String: ModelShape]>([:])

    /// The shape of the model of an entity: of those of one name, that which was used first last.
    static func named(_ entityName: String) -> ModelShape? { latest.withLock { $0[entityName] } }

    /// The shape of a model's class.
    static func of(_ type: any PersistentModel.Type) -> ModelShape {
        let key = ObjectIdentifier(type)
        if let shape = shapes.withLock({ $0[key] }) { return shape }
        let shape = ModelShape(type)
        latest.withLock { $0[shape.entityName] = shape }
        return shapes.withLock { shapes in
            if let other = shapes[key] { return other }
            shapes[key] = shape
            return shape
        }
    }

    private init(_ type: any PersistentModel.Type) {
        self.type = type
        identifier = ObjectIdentifier(type)
        entityName = String(describing: type)
        superclass = (_getSuperclass(type) as? any PersistentModel.Type).map(Self.of)
        let rows = type.schemaMetadata
        let inherited = superclass?.properties.count ?? 0
        ownProperties = rows.filter { !($0.metadata is any DeclarationProperty) }.enumerated()
            .map { Property($1, of: type, index: inherited + $0) }
        properties = (superclass?.properties ?? []) + ownProperties
        byName = Dictionary(properties.map { ($0.name, $0) }) { _, last in last }
        byIdentity = Dictionary(
            properties.compactMap { property in
                KeyPathStep.all(of: property.keyPath)?.first.map { ($0.identity, property) }
            }) { _, last in last }
        identities = properties.count > Self.scannedCountMax
            ? [] : properties.map { KeyPathStep.identity(ofOnlyStep: $0.keyPath) ?? 0 }
        let declarations = rows.compactMap { $0.metadata as? any DeclarationProperty }
        let byIdentity = byIdentity
        let columns = { (keyPath: AnyKeyPath, isIndex: Bool) -> [String] in
            guard let steps = KeyPathStep.all(of: keyPath, includingStored: true),
                let property = byIdentity[steps[0].identity]
            else { return ["\(keyPath)"] }
            // An index has the columns of one table: of a related model's property, that of the relationship.
            if let columns = property.columns(at: steps.dropFirst()) { return columns }
            if property.relationship == nil { return ["a part of \(property.name)"] }
            return [isIndex ? property.name : "\(keyPath)"]
        }
        let declared = declarations.flatMap { row in
            row.uniqueKeyPaths.map { ($0.flatMap { columns($0, false) }, row.conflictPolicy) }
        }
        let marked = ownProperties.filter { $0.metadata?.isUnique == true }.map { property in
            (property.columns(at: []) ?? [property.name], property.conflictPolicy)
        }
        uniquenessConstraints = (declared + marked).map(\.0)
        uniquePolicies = Dictionary((declared + marked).filter { $0.1 != .upsert }) { first, _ in first }
        indices = declarations.flatMap(\.indexKeyPaths)
            .map { ($0.isSpatial, $0.keyPaths.flatMap { columns($0, true) }) }
    }

    func property(named name: String) -> Property? { byName[name] }

    /// The property at a key path; nil for a computed one.
    func property(for keyPath: AnyKeyPath) -> Property? {
        guard let identity = KeyPathStep.identity(ofOnlyStep: keyPath) else { return nil }
        if identities.isEmpty { return byIdentity[identity] }
        return identities.firstIndex(of: identity).map { properties[$0] }
    }

    func property(identity: UInt) -> Property? { byIdentity[identity] }

    /// The models with all that they are related to and their superclasses, each after its superclass.
    static func closure(of types: [any PersistentModel.Type]) -> [ModelShape] {
        var found: [ModelShape] = []
        var seen: Set<ObjectIdentifier> = []
        func add(_ type: any PersistentModel.Type) {
            guard seen.insert(ObjectIdentifier(type)).inserted else { return }
            let shape = of(type)
            if let superclass = shape.superclass { add(superclass.type) }
            found.append(shape)
            for property in shape.ownProperties {
                if let relationship = property.relationship { add(relationship.destination) }
            }
        }
        types.forEach(add)
        return found
    }

    /// Whether the models that a relationship leads to may be deleted and the relationship left as it is.
    func mayDangle(_ property: Property) -> Bool {
        (inverse(of: property)?.metadata as? Schema.Relationship)?.deleteRule == .noAction
    }

    /// The property of the other model that leads back: the one that either names, else the only one that can be.
    func inverse(of property: Property) -> Property? {
        if let superclass, !declares(property) { return superclass.inverse(of: property) }
        if let known = inverses.withLock({ $0[property.index] }) { return known }
        let found = findInverse(of: property)
        inverses.withLock { $0[property.index] = .some(found) }
        return found
    }

    private func findInverse(of property: Property) -> Property? {
        guard let relationship = property.relationship else { return nil }
        let other = ModelShape.of(relationship.destination)
        if let keyPath = (property.metadata as? Schema.Relationship)?.inverseKeyPath {
            return other.property(for: keyPath)
        }
        if let naming = other.properties.first(where: { $0.names(property, of: self) }) { return naming }
        let back = other.properties.filter { $0.canLead(to: self) }
        let here = properties.filter { $0.canLead(to: other) }
        // Both have to lead from the class that declares one to the class that declares the other.
        guard back.count == 1, here.count == 1, here[0] === property, back[0] !== property, other.declares(back[0]),
            back[0].relationship?.destination == type
        else { return nil }
        return back[0]
    }

    /// Whether a property of the model is none of its superclass.
    func declares(_ property: Property) -> Bool { ownProperties.contains { $0 === property } }
}

extension ModelShape.Property {
    /// The columns of the values at the end of steps from this property: of a structure, those of its parts. Nil for a
    /// property of a related model.
    fileprivate func columns(at steps: ArraySlice<KeyPathStep>) -> [String]? {
        guard case .attribute(let own) = kind else { return steps.isEmpty ? [name] : nil }
        var (path, column) = (name, own)
        for step in steps {
            guard case .composite(let parts)? = column?.form else {
                // A raw value, or another computed one, is that of the column. A part of what is stored encoded is not.
                if step.isStored, !(column?.valueType is any RawRepresentable.Type) { return nil }
                continue
            }
            guard step.isStored, let part = parts.first(where: { $0.offset == Int(step.identity) }) else { return nil }
            (path, column) = (path + "." + part.name, part.column)
        }
        return column?.names(path) ?? [path]
    }

    /// Whether `@Relationship(inverse:)` of this one names `property`.
    fileprivate func names(_ property: ModelShape.Property, of shape: ModelShape) -> Bool {
        guard let keyPath = (metadata as? Schema.Relationship)?.inverseKeyPath, let relationship,
            shape.isKind(of: relationship.destination)
        else { return false }
        return shape.property(for: keyPath) === property
    }

    /// Whether it leads to the model, and names no inverse.
    fileprivate func canLead(to shape: ModelShape) -> Bool {
        guard let relationship, (metadata as? Schema.Relationship)?.inverseKeyPath == nil else { return false }
        return shape.isKind(of: relationship.destination)
    }
}

extension ModelShape {
    func isKind(of type: any PersistentModel.Type) -> Bool {
        sequence(first: self, next: \.superclass).contains { $0.type == type }
    }
}

/// `#Unique` and `#Index`, whatever their model.
protocol DeclarationProperty {
    var uniqueKeyPaths: [[AnyKeyPath]] { get }
    var conflictPolicy: UniqueConflictPolicy { get }
    var indexKeyPaths: [(isSpatial: Bool, keyPaths: [AnyKeyPath])] { get }
}

extension Schema.Unique: DeclarationProperty {
    var uniqueKeyPaths: [[AnyKeyPath]] { constraints }
    var indexKeyPaths: [(isSpatial: Bool, keyPaths: [AnyKeyPath])] { [] }
}

extension Schema.Index: DeclarationProperty {
    var conflictPolicy: UniqueConflictPolicy { .upsert }
    var uniqueKeyPaths: [[AnyKeyPath]] { [] }
    var indexKeyPaths: [(isSpatial: Bool, keyPaths: [AnyKeyPath])] { rows.map { ($0.isSpatial, $0.keyPaths) } }
}
#endif
