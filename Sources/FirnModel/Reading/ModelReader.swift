import Foundation

/// Makes descriptions of a model file's elements. Collects warnings and errors, and throws at the end if there are
/// errors.
struct ModelReader {
    let file: String
    private(set) var issues: [ModelIssue] = []
    /// Composites by name: attributes refer to them before or after they are declared.
    private(set) var composites: [String: ModelFileElement] = [:]
    /// The entities by name, with the elements that they were made of.
    private(set) var entities: [String: NSEntityDescription] = [:]
    private var entityElements: [(NSEntityDescription, ModelFileElement)] = []
    /// Composites being read, outermost first, so that one inside itself is found.
    var openComposites: [String] = []

    init(file: String) { self.file = file }

    /// Fills an empty model.
    ///
    /// - Returns: the warnings.
    /// - Throws: `ModelFileError` if anything is wrong.
    mutating func read(_ root: ModelFileElement, into model: NSManagedObjectModel) throws
        -> [ModelIssue]
    {
        guard root.name == "model" else {
            error(
                "the outermost element is <\(root.name)>, not <model>; this is no model file.", root
            )
            throw ModelFileError(issues: issues)
        }
        readModelAttributes(root, into: model)
        for composite in root.children("composite") {
            composites[composite["name"] ?? ""] = composite
        }
        for element in root.children("entity") { readEntity(element) }
        connectHierarchy()
        for (entity, element) in entityElements { readRelationships(element, of: entity) }
        for (entity, element) in entityElements { connectInverses(element, of: entity) }
        for (entity, element) in entityElements { readIndexes(element, of: entity) }
        if hasErrors { throw ModelFileError(issues: issues) }
        model.entities = entityElements.map(\.0)
        for element in root.children("configuration") { readConfiguration(element, into: model) }
        for element in root.children("fetchRequest") { readTemplate(element, into: model) }
        model.sourceElements = leftoverChildren(
            root,
            read: [
                "composite", "entity", "configuration", "fetchRequest", "firn:versionIdentifier",
                "firn:localization",
            ])
        check(model, root)
        if hasErrors { throw ModelFileError(issues: issues) }
        return issues
    }

    mutating func warning(_ message: String, _ element: ModelFileElement) {
        issues.append(ModelIssue(.warning, message, file, element.line))
    }

    mutating func error(_ message: String, _ element: ModelFileElement) {
        issues.append(ModelIssue(.error, message, file, element.line))
    }

    /// The attributes that no description holds, to be preserved. Unknown names are reported.
    mutating func leftover(
        _ element: ModelFileElement, read: Set<String>, kept: Set<String>
    ) -> [String: String] {
        let rest = element.attributes.filter {
            !read.contains($0.key) && !$0.key.hasPrefix("xmlns")
        }
        for name in rest.keys.sorted() where !kept.contains(name) {
            warning("<\(element.name)> has the unknown attribute '\(name)'; it is preserved.", element)
        }
        return rest
    }

    /// The elements that no description holds, to be preserved. Unknown names are reported.
    mutating func leftoverChildren(_ element: ModelFileElement, read: Set<String>)
        -> [ModelFileElement]
    {
        let rest = element.children.filter { !read.contains($0.name) }
        for child in rest where !ModelFileFormat.editorElements.contains(child.name) {
            warning("<\(element.name)> has the unknown element <\(child.name)>; it is preserved.", child)
        }
        return rest
    }

    private var hasErrors: Bool { issues.contains { $0.severity == .error } }

    private mutating func readModelAttributes(
        _ root: ModelFileElement, into model: NSManagedObjectModel
    ) {
        if let identifier = root["userDefinedModelVersionIdentifier"] {
            model.versionIdentifiers = [identifier]
        }
        let identifiers = root.children("firn:versionIdentifier").compactMap { $0["value"] }
        if !identifiers.isEmpty {
            model.versionIdentifiers = Set(identifiers.map { AnyHashable($0) })
        }
        let kept = ModelFileFormat.editorAttributes.union([
            "type", "documentVersion", "name", "usedWithCloudKit", "usedWithSwiftData",
        ])
        model.sourceAttributes = leftover(
            root, read: ["userDefinedModelVersionIdentifier"], kept: kept)
        let localization = root.children("firn:localization").compactMap { entry in
            entry["key"].map { ($0, entry["value"] ?? "") }
        }
        if !localization.isEmpty {
            model.localizationDictionary = Dictionary(localization) { _, last in last }
        }
    }

    private mutating func readEntity(_ element: ModelFileElement) {
        guard let name = element["name"], !name.isEmpty else {
            return error("an <entity> has no name.", element)
        }
        guard entities[name] == nil else {
            return error("the entity '\(name)' is declared twice.", element)
        }
        let entity = NSEntityDescription()
        entity.name = name
        entity.explicitClassName = element["representedClassName"]
        entity.isAbstract = element.flag("isAbstract")
        entity.versionHashModifier = element["versionHashModifier"]
        entity.explicitRenamingIdentifier = element["elementID"]
        entity.userInfo = userInfo(element)
        entity.uniquenessConstraints = element.children("uniquenessConstraints")
            .flatMap { $0.children("uniquenessConstraint") }
            .map { $0.children("constraint").compactMap { $0["value"] } }
        entity.compoundIndexes = element.children("compoundIndexes")
            .flatMap { $0.children("compoundIndex") }
            .map { $0.children("index").compactMap { $0["value"] } }
        entity.sourceAttributes = leftover(
            element,
            read: [
                "name", "representedClassName", "isAbstract", "versionHashModifier", "elementID",
                "parentEntity",
            ],
            kept: ["syncable", "codeGenerationType", "coreSpotlightDisplayNameExpression"])
        entity.properties =
            element.children("attribute").compactMap { readAttribute($0) }
            + element.children("fetchedProperty").compactMap { readFetchedProperty($0) }
        entity.sourceElements = leftoverChildren(
            element,
            read: [
                "attribute", "relationship", "fetchedProperty", "userInfo", "uniquenessConstraints",
                "compoundIndexes", "fetchIndex",
            ])
        entities[name] = entity
        entityElements.append((entity, element))
    }

    private mutating func connectHierarchy() {
        var hierarchy = EntityHierarchy()
        defer { hierarchy.connect() }
        for (entity, element) in entityElements {
            guard let parentName = element["parentEntity"] else { continue }
            guard let parent = entities[parentName] else {
                error(
                    "'\(entity.name ?? "")' inherits from '\(parentName)', which the model does not have.",
                    element)
                continue
            }
            if !hierarchy.add(entity, below: parent) {
                error(
                    "'\(entity.name ?? "")' inherits from itself, through '\(parentName)'.", element
                )
            }
        }
    }

    /// Validates the whole model, and reports problems at the lines that they concern.
    private mutating func check(_ model: NSManagedObjectModel, _ root: ModelFileElement) {
        func place(_ problem: ModelProblem) -> ModelFileElement {
            let entity = entityElements.first { $0.0.name == problem.entityName }?.1
            let property = entity?.children.first {
                $0["name"] != nil && $0["name"] == problem.propertyName
            }
            return property ?? entity ?? root
        }
        for problem in model.detachInconsistentInverses() { warning(problem.message, place(problem)) }
        for problem in model.validate() { error(problem.message, place(problem)) }
    }

    private mutating func readConfiguration(
        _ element: ModelFileElement, into model: NSManagedObjectModel
    ) {
        guard let name = element["name"] else {
            return error("a <configuration> has no name.", element)
        }
        var members: [NSEntityDescription] = []
        for member in element.children("memberEntity") {
            guard let entity = entities[member["name"] ?? ""] else {
                error(
                    "'\(member["name"] ?? "")' in the configuration '\(name)' is no entity of the model.",
                    member)
                continue
            }
            members.append(entity)
        }
        model.setEntities(members, forConfigurationName: name)
    }
}
