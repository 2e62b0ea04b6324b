package import FirnRuntime
public import Foundation

public import class FirnFoundation.NSPredicate
public import func FirnFoundation.misuse

/// A property of an entity: what attributes, relationships and fetched properties have in common.
///
/// Descriptions may be changed until their model is used by a coordinator. From then on they are immutable and
/// may be read from any thread; a change stops the program.
/// https://developer.apple.com/documentation/coredata/nspropertydescription
open class NSPropertyDescription: NSObject, NSCopying, NSSecureCoding {
    /// The key under which objects hold the value.
    open var name: String = "" { willSet { requireMutable() } }

    /// Whether an object may be saved without a value. A new property is optional.
    open var isOptional: Bool = true { willSet { requireMutable() } }

    /// Whether the value is kept in memory only.
    open var isTransient: Bool = false { willSet { requireMutable() } }

    /// Deprecated by Apple in favour of `NSEntityDescription.indexes`; still honoured.
    open var isIndexed: Bool = false { willSet { requireMutable() } }

    /// Deprecated by Apple, without effect; kept because models in the wild carry it.
    open var isStoredInExternalRecord: Bool = false { willSet { requireMutable() } }

    /// Whether Spotlight indexes the value. Here the store keeps an index of the words of such a text, which
    /// `TOKENMATCHES` asks.
    open var isIndexedBySpotlight: Bool {
        get { sourceAttributes[Self.spotlightKey] == "YES" }
        set { sourceAttributes[Self.spotlightKey] = newValue ? "YES" : nil }
    }
    private static let spotlightKey = "spotlightIndexingEnabled"

    /// Values of the program; initially an empty dictionary. May be changed while the model is in use.
    open var userInfo: [AnyHashable: Any]? {
        get { notes.value }
        set { notes.value = newValue }
    }
    private let notes = UserInfo()

    /// Part of the version hash, so that otherwise equal versions differ.
    open var versionHashModifier: String? { willSet { requireMutable() } }

    /// The name of this property in an earlier version of the model; by default the property's name.
    open var renamingIdentifier: String? {
        get { explicitRenamingIdentifier ?? name }
        set { explicitRenamingIdentifier = newValue }
    }

    /// The entity that declares this property. Asking a property that is not part of an entity stops the program.
    public final var entity: NSEntityDescription {
        guard let declaringEntity else {
            misuse(
                "The property '\(name)' is not part of an entity, or its model was released; "
                    + "add it to an entity's properties first, and keep the model."
            )
        }
        return declaringEntity
    }

    /// Predicates that the value must fulfil when its object is saved.
    open private(set) var validationPredicates: [NSPredicate] = []

    /// For each validation predicate, the message or the error code (a number) that its failure reports.
    open private(set) var validationWarnings: [Any] = []

    @WeaklyReferenced package var declaringEntity: NSEntityDescription?
    /// The composite that this attribute is an element of.
    @WeaklyReferenced final var composite: NSPropertyDescription?
    package var explicitRenamingIdentifier: String? { willSet { requireMutable() } }
    /// Contents of the model file that Core Data's descriptions cannot hold. Preserved for writing.
    package var sourceAttributes: [String: String] = [:] { willSet { requireMutable() } }
    package var sourceElements: [ModelFileElement] = [] { willSet { requireMutable() } }
    /// The limits of the model file that `validationPredicates` were made from; nil for predicates set in code.
    package private(set) var limits: ValidationLimits?
    package private(set) var isFrozen = false

    public override init() { super.init() }

    /// Whether both have equal contents, and are properties of entities of one name, or of none.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyDescription else { return false }
        if other === self { return true }
        guard name == other.name, declaringEntity?.name == other.declaringEntity?.name else { return false }
        return hasSameAspects(as: other)
    }

    open override var hash: Int { name.hashValue }

    public class var supportsSecureCoding: Bool { true }

    /// The property that was encoded, part of no entity. A relationship finds its destination when its entity is
    /// decoded together with it.
    public required convenience init?(coder: NSCoder) {
        self.init()
        decodeContents(from: coder)
        if coder.error != nil { return nil }
    }

    /// Writes all that a copy has. Values without a literal in the predicate language trap.
    open func encode(with coder: NSCoder) { encodeContents(into: coder) }

    /// 32 bytes that differ between versions of the property that need different stores. They cover name, optional,
    /// transient and `versionHashModifier`; an attribute's type; a relationship's destination, inverse, counts and
    /// order.
    open var versionHash: Data { computedVersionHash }

    /// Sets the predicates and, for each, the message of its failure. The two arrays must be equally long.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [], limits: nil)
    }

    /// A copy that is part of no entity and may be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeEmptyCopy()
        copyContents(to: copy)
        return copy
    }

    package func setValidation(
        _ predicates: [NSPredicate], warnings: [Any], limits: ValidationLimits?
    ) {
        requireMutable()
        guard predicates.count == warnings.count else {
            misuse(
                "'\(name)': \(predicates.count) validation predicates but \(warnings.count) warnings."
            )
        }
        validationPredicates = predicates
        validationWarnings = warnings
        self.limits = limits
    }

    package func freeze() { isFrozen = true }

    package func makeEmptyCopy() -> NSPropertyDescription { NSPropertyDescription() }

    package func copyContents(to copy: NSPropertyDescription) {
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.isIndexed = isIndexed
        copy.isStoredInExternalRecord = isStoredInExternalRecord
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.explicitRenamingIdentifier = explicitRenamingIdentifier
        copy.sourceAttributes = sourceAttributes
        copy.sourceElements = sourceElements
        copy.setValidation(validationPredicates, warnings: validationWarnings, limits: limits)
    }

    package func encodeContents(into coder: NSCoder) { PropertyCoding.encode(self, into: coder) }

    package func decodeContents(from coder: NSCoder) { PropertyCoding.decode(self, from: coder) }

    @inline(__always)
    package final func requireMutable() {
        if isFrozen {
            misuse(
                "Can't modify an immutable model. ('\(name)' is in use by a coordinator; change a copy.)"
            )
        }
        discardVersionHashes()
    }

    private final func discardVersionHashes() {
        if let composite { return composite.discardVersionHashes() }
        declaringEntity?.model?.discardVersionHashes()
    }
}

/// A property whose value is what a fetch request finds.
///
/// In the request's predicate `$FETCH_SOURCE` is the object that has the property and `$FETCHED_PROPERTY` this
/// description. https://developer.apple.com/documentation/coredata/nsfetchedpropertydescription
open class NSFetchedPropertyDescription: NSPropertyDescription {
    /// The request that fetches the property's value.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        willSet { requireMutable() }
    }

    /// A fetched property stores nothing: it is transient.
    public override init() {
        super.init()
        isTransient = true
    }

    package override func encodeContents(into coder: NSCoder) {
        super.encodeContents(into: coder)
        coder.encode(fetchRequest, forKey: "NSFetchRequest")
    }

    package override func decodeContents(from coder: NSCoder) {
        super.decodeContents(from: coder)
        let request = coder.decodeObject(of: UntypedFetchRequest.self, forKey: "NSFetchRequest")
        fetchRequest = request?.withResultType((any NSFetchRequestResult).self)
    }

    package override func makeEmptyCopy() -> NSPropertyDescription {
        NSFetchedPropertyDescription()
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        let request = fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        (copy as? NSFetchedPropertyDescription)?.fetchRequest = request
    }
}

/// The user info of a description. It may be changed while the model is in use, from any thread.
final class UserInfo {
    private let lock = NSLock()
    /// Guarded by `lock`.
    private var stored: [AnyHashable: Any]? = [:]

    var value: [AnyHashable: Any]? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
