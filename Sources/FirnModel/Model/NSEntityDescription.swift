package import FirnRuntime
public import Foundation
import Synchronization

public import class FirnFoundation.NSExpression
public import func FirnFoundation.misuse

/// An entity of a model: its name, its properties, its place in the hierarchy.
///
/// Lists of properties include the inherited ones; `ownProperties` are those declared here. Sendable, as object IDs
/// have it: once a coordinator uses the model, a change stops the program, but for the user info's, which has a lock.
/// https://developer.apple.com/documentation/coredata/nsentitydescription
open class NSEntityDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The name of the entity.
    open var name: String? { willSet { requireMutable() } }

    /// Whether there are no objects of this entity itself, only of its subentities.
    open var isAbstract: Bool = false { willSet { requireMutable() } }

    /// The name of the class of this entity's objects; `NSManagedObject` unless set.
    open var managedObjectClassName: String! {
        get { explicitClassName ?? "NSManagedObject" }
        set { explicitClassName = newValue }
    }

    /// Values of the program; initially an empty dictionary. May be changed while the model is in use.
    open var userInfo: [AnyHashable: Any]? {
        get { notes.value }
        set { notes.value = newValue }
    }
    private let notes = UserInfo()

    /// Part of the version hash, so that otherwise equal versions differ.
    open var versionHashModifier: String? { willSet { requireMutable() } }

    /// The name of this entity in an earlier version of the model; by default the entity's name.
    open var renamingIdentifier: String? {
        get { explicitRenamingIdentifier ?? name }
        set { explicitRenamingIdentifier = newValue }
    }

    /// The indexes declared here. Their elements name properties of this entity.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet { requireMutable() }
        didSet { for index in indexes { index.indexedEntity = self } }
    }

    /// Deprecated by Apple in favour of `indexes`; arrays of property names. Still honoured.
    open var compoundIndexes: [[Any]] = [] { willSet { requireMutable() } }

    /// Groups of attributes, as names or descriptions, whose values together are unique among the objects.
    open var uniquenessConstraints: [[Any]] = [] { willSet { requireMutable() } }

    /// The expression of an object's name in Spotlight, the constant nil unless set; without effect here.
    open var coreSpotlightDisplayNameExpression: NSExpression {
        get { displayNameText.flatMap(PredicateText.expression) ?? NSExpression(forConstantValue: nil) }
        set { displayNameText = PredicateText.text(newValue) }
    }

    /// The expression as the model file has it; nil for none.
    package final var displayNameText: String? {
        get { sourceAttributes["coreSpotlightDisplayNameExpression"] }
        set { sourceAttributes["coreSpotlightDisplayNameExpression"] = newValue }
    }

    /// All properties, inherited ones first. Setting it sets those declared here; inherited ones among the new
    /// value are left to the entity that declares them.
    open var properties: [NSPropertyDescription] {
        get {
            guard parent != nil else { return ownProperties }
            return lineage.flatMap(\.ownProperties)
        }
        set { setOwnProperties(newValue) }
    }

    /// The entities that inherit from this one. Setting it makes this entity their superentity.
    open var subentities: [NSEntityDescription] = [] {
        willSet { requireMutable() }
        didSet { adoptSubentities(replacing: oldValue) }
    }

    package private(set) var ownProperties: [NSPropertyDescription] = []
    package var explicitClassName: String? { willSet { requireMutable() } }
    package var explicitRenamingIdentifier: String? { willSet { requireMutable() } }
    /// Contents of the model file that Core Data's descriptions cannot hold. Preserved for writing.
    package var sourceAttributes: [String: String] = [:] { willSet { requireMutable() } }
    package var sourceElements: [ModelFileElement] = [] { willSet { requireMutable() } }
    /// The version hash that Xcode's compiler computed, which differs from ours. Nil if the model was not compiled.
    final var compiledVersionHash: Data?
    @WeaklyReferenced package private(set) var parent: NSEntityDescription?
    private final var modelReference: WeakReference<NSManagedObjectModel>?
    package internal(set) var isFrozen = false
    /// Set when the model is frozen, in `NSManagedObjectModel.freeze()`, before other threads see the model.
    var frozen: FrozenEntity?
    /// The class of the entity's objects, set by the layer above when it has resolved it.
    /// A metatype as an address, so that threads can read and set it atomically. Metatypes live for ever.
    package final let objectClassReference = AtomicClass()
    /// That class if key-value coding calls accessors of its own. Set before `objectClassReference`.
    package final let accessorsReference = AtomicClass()

    public override init() { super.init() }

    package internal(set) final var model: NSManagedObjectModel? {
        get { modelReference?.object }
        set { modelReference = newValue.map(WeakReference.init) }
    }

    /// Whether `model` is this one. Counts no references.
    package final func isPart(of model: NSManagedObjectModel) -> Bool { modelReference?.refers(to: model) ?? false }

    /// The model that this entity is part of. Asking an entity outside any model stops the program.
    public final var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            misuse("The entity '\(name ?? "")' is not part of a model, or its model was released.")
        }
        return model
    }

    /// The entity that this one inherits from.
    public final var superentity: NSEntityDescription? { parent }

    /// A copy outside any model, with copies of the properties declared here. Relationships keep their
    /// destinations; super- and subentities are not copied.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSEntityDescription()
        copyContents(to: copy)
        return copy
    }

    /// Whether both have equal contents, with the properties that they declare and the name of their superentity.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        if other === self { return true }
        guard name == other.name else { return false }
        return hasSameAspects(as: other)
    }

    open override var hash: Int { name.hashValue }

    public class var supportsSecureCoding: Bool { true }

    /// The entity that was encoded, outside any model, with its subentities. Relationships between the entities of one
    /// archive lead to each other; others have no destination. Nil if the archive holds no entity.
    public required convenience init?(coder: NSCoder) {
        self.init()
        guard EntityCoding.decode(self, from: coder) else { return nil }
    }

    /// Writes the entity with the properties that it declares and its subentities; inherited properties are not
    /// written. To keep a whole model, encode the model.
    open func encode(with coder: NSCoder) { EntityCoding.encode(self, into: coder) }

    package func requireMutable() {
        if isFrozen {
            misuse(
                "Can't modify an immutable model. ('\(name ?? "")' is in use by a coordinator; change a copy.)"
            )
        }
        model?.discardVersionHashes()
    }

    private func setOwnProperties(_ properties: [NSPropertyDescription]) {
        requireMutable()
        let own = properties.filter { property in
            guard let declaring = property.declaringEntity, declaring !== self else { return true }
            if isKindOf(entity: declaring) { return false }
            misuse(
                "The property '\(property.name)' already belongs to the entity '\(declaring.name ?? "")'; "
                    + "add a copy to '\(name ?? "")'.")
        }
        for property in ownProperties { property.declaringEntity = nil }
        for property in own { property.declaringEntity = self }
        ownProperties = own
    }

    private func adoptSubentities(replacing old: [NSEntityDescription]) {
        var seen: Set<ObjectIdentifier> = []
        for entity in subentities where !seen.insert(ObjectIdentifier(entity)).inserted {
            misuse("'\(entity.name ?? "")' is among the subentities of '\(name ?? "")' twice.")
        }
        for entity in old where !seen.contains(ObjectIdentifier(entity)) && entity.parent === self {
            entity.parent = nil
            entity.model?.discardVersionHashes()
        }
        for entity in subentities where entity.parent !== self {
            if let other = entity.parent, other !== self {
                misuse("'\(entity.name ?? "")' is already a subentity of '\(other.name ?? "")'.")
            }
            if hasAncestor(entity) {
                misuse("'\(entity.name ?? "")' cannot be both above and below '\(name ?? "")'.")
            }
            entity.parent = self
            entity.model?.discardVersionHashes()
        }
    }

    /// The entities from the top of the hierarchy down to this one.
    private var lineage: [NSEntityDescription] { sequence(first: self) { $0.parent }.reversed() }

    private func hasAncestor(_ entity: NSEntityDescription) -> Bool {
        sequence(first: self) { $0.parent }.contains { $0 === entity }
    }

    private func copyContents(to copy: NSEntityDescription) {
        copy.name = name
        copy.isAbstract = isAbstract
        copy.explicitClassName = explicitClassName
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.explicitRenamingIdentifier = explicitRenamingIdentifier
        copy.sourceAttributes = sourceAttributes
        copy.sourceElements = sourceElements
        copy.compiledVersionHash = compiledVersionHash
        copy.compoundIndexes = compoundIndexes
        copy.uniquenessConstraints = uniquenessConstraintNames
        copy.properties = ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
        let copies = Dictionary(copy.ownProperties.map { ($0.name, $0) }) { first, _ in first }
        copy.indexes = indexes.map { $0.copy { copies[$0.name] ?? $0 } }
    }
}
