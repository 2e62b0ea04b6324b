public import Foundation
import Synchronization

import class FirnFoundation.NSPredicate
import func FirnFoundation.misuse

/// A model: entities, the configurations they are grouped in, and named fetch requests.
///
/// A model may be changed until a coordinator uses it; from then on it is immutable and may be read from any
/// thread. The model owns its entities: keep it as long as any description of it.
/// https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel
open class NSManagedObjectModel: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The entities. Subentities of the entities given become part of the model too.
    open var entities: [NSEntityDescription] {
        get { storedEntities }
        set { replaceEntities(newValue) }
    }

    /// Identifiers that help people tell versions apart. They do not affect compatibility.
    open var versionIdentifiers: Set<AnyHashable> = [] { willSet { requireMutable() } }

    /// Localised names by keys such as `Entity/Person` and `Property/name/Entity/Person`. May be set at any time.
    open var localizationDictionary: [String: String]? {
        get { localization.withLock { $0 } }
        set { localization.withLock { $0 = newValue } }
    }
    private let localization = Mutex<[String: String]?>(nil)

    package var configurationEntities: [String: [NSEntityDescription]] = [:] {
        willSet { requireMutable() }
    }
    package var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:] {
        willSet { requireMutable() }
    }
    /// Contents of the model file that Core Data's descriptions cannot hold. Preserved for writing.
    package var sourceAttributes: [String: String] = [:] { willSet { requireMutable() } }
    package var sourceElements: [ModelFileElement] = [] { willSet { requireMutable() } }
    package private(set) var isFrozen = false
    private var storedEntities: [NSEntityDescription] = []
    /// Set when the model is frozen.
    private var frozenEntitiesByName: [String: NSEntityDescription] = [:]
    /// Guards the transition to frozen, which several coordinators may start at once.
    private let freezing = NSLock()
    /// The version hashes by entity that were computed since the last change of the model, an entity or a property.
    final let versionHashes = Mutex<[ObjectIdentifier: Data]>([:])

    public override init() { super.init() }

    public class var supportsSecureCoding: Bool { true }

    /// The model that was encoded; nil if the archive holds none.
    public required convenience init?(coder: NSCoder) {
        guard let document = coder.decodeObject(of: NSData.self, forKey: "Document") as Data?,
            let model = try? NSManagedObjectModel.load(document: [UInt8](document), name: "archive").model
        else { return nil }
        self.init()
        ModelCopy(of: model).fill(self)
    }

    /// Writes the model as a model file. Not written are values of user info that no property list can hold, and
    /// expressions among a template's properties to fetch.
    open func encode(with coder: NSCoder) {
        coder.encode(Data(xcdatamodelContents(includingEditorInfo: true)) as NSData, forKey: "Document")
    }

    /// The entities by name. O(1) once the model is in use.
    open var entitiesByName: [String: NSEntityDescription] {
        if isFrozen { return frozenEntitiesByName }
        return Dictionary(storedEntities.map { ($0.name ?? "", $0) }) { _, last in last }
    }

    /// A deep copy that may be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        ModelCopy(of: self).fill(copy)
        return copy
    }

    /// Whether both have equal entities, configurations and fetch requests.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        if other === self { return true }
        guard entityVersionHashesByName == other.entityVersionHashesByName else { return false }
        return hasSameAspects(as: other)
    }

    open override var hash: Int { entities.reduce(entities.count) { $0 ^ $1.hash } }

    /// Checks the model, lays out its entities and makes it immutable. Stops the program with a list of all problems,
    /// if there are any. A second call does nothing.
    package func freeze() {
        freezing.lock()
        defer { freezing.unlock() }
        if isFrozen { return }
        let problems = validate()
        guard problems.isEmpty else {
            misuse(
                "The model cannot be used:\n"
                    + problems.map { "  \($0.message)" }.joined(separator: "\n"))
        }
        for entity in storedEntities {
            for property in entity.ownProperties { property.freeze() }
            entity.isFrozen = true
        }
        EntityLayout.layOut(self)
        frozenEntitiesByName = entitiesByName
        isFrozen = true
    }

    package func requireMutable() {
        if isFrozen {
            misuse(
                "Can't modify an immutable model. (It is in use by a coordinator; change a copy.)")
        }
        discardVersionHashes()
    }

    /// Called before each change of the model, of an entity or of a property.
    final func discardVersionHashes() { versionHashes.withLock { $0 = [:] } }

    private func replaceEntities(_ entities: [NSEntityDescription]) {
        requireMutable()
        for entity in storedEntities { entity.model = nil }
        storedEntities = []
        for entity in NSEntityDescription.withDescendants(entities) {
            if let other = entity.model, other !== self {
                misuse("The entity '\(entity.name ?? "")' belongs to another model; add a copy.")
            }
            entity.model = self
            storedEntities.append(entity)
        }
        for (name, members) in configurationEntities {
            configurationEntities[name] = members.filter { $0.model === self }
        }
    }
}

extension NSManagedObjectModel {
    /// The name under which Core Data files the entities that are in no configuration.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// The names of the configurations, sorted, without the default one.
    public var configurations: [String] { configurationEntities.keys.sorted() }

    /// The entities of a configuration; all entities for nil, nil for an unknown name.
    public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else {
            return entities
        }
        return configurationEntities[configuration]
    }

    /// Says which entities are in a configuration. They must be part of the model.
    public func setEntities(
        _ entities: [NSEntityDescription], forConfigurationName configuration: String
    ) {
        for entity in entities where entity.model !== self {
            misuse(
                "The entity '\(entity.name ?? "")' is not part of the model; "
                    + "set the model's entities before its configuration '\(configuration)'.")
        }
        configurationEntities[configuration] = entities
    }
}

extension NSManagedObjectModel {
    /// The named fetch requests, as they are; change a copy.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        templates
    }

    /// The fetch request filed under `name`, as it is; change a copy.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<
        any NSFetchRequestResult
    >? {
        templates[name]
    }

    /// A copy of a named fetch request, with variables of its predicate replaced by values.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let copy = templates[name]?.copy() as? NSFetchRequest<any NSFetchRequestResult> else {
            return nil
        }
        copy.predicate = copy.predicate?.withSubstitutionVariables(variables)
        return copy
    }

    /// Files a fetch request under a name; nil removes it.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        templates[name] = fetchRequestTemplate
    }
}
