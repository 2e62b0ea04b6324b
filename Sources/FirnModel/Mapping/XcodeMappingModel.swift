import class FirnFoundation.NSExpression
import Foundation

/// The mapping model of an `xcmapping.xml`: objects of Xcode's editor that refer to each other by number.
///
///     <object type="XDDEVENTITYMAPPING" id="z104">
///         <attribute name="sourcename" type="string">Mood</attribute>
///         <relationship name="mappingmodel" … idrefs="z114"></relationship>
///
/// The file has what a person chose, and copies of both models. `Documentation/MappingModels.md` lists the keys. What a
/// person left to Xcode follows from the copy of the source model, as in the `.cdm` that Xcode compiles.
struct XcodeMappingModel {
    private let objects: [MappingModelObject]
    private let file: String
    private let sourceCopy: NSManagedObjectModel?
    private let destinationCopy: NSManagedObjectModel?
    /// The models by which what is left to Xcode is made: the copies, or the models that are asked for.
    private let source: NSManagedObjectModel?
    private let destination: NSManagedObjectModel?

    /// `models` stand for the copies in a file that has none.
    init(
        _ objects: [MappingModelObject], file: String,
        models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)?
    ) {
        self.objects = objects
        self.file = file
        let root = objects.first { $0.type == "XDDEVMAPPINGMODEL" }
        func copy(_ key: String) -> NSManagedObjectModel? {
            root?.archive(key).flatMap { EditorModelReader($0)?.model() }
        }
        sourceCopy = copy("sourcemodeldata")
        destinationCopy = copy("destinationmodeldata")
        source = sourceCopy ?? models?.source
        destination = destinationCopy ?? models?.destination
    }

    /// In the order in which they run.
    ///
    /// - Throws: `ModelFileError` with file and line.
    func entityMappings() throws -> [NSEntityMapping] {
        let all = objects.filter { $0.type == "XDDEVENTITYMAPPING" }.sorted { $0.number < $1.number }
        // Xcode leaves deleted entity mappings in the file, without their mapping model.
        let root = objects.first { $0.type == "XDDEVMAPPINGMODEL" }
        let listed = all.filter { mapping in root.map { mapping.isPart(of: $0) } ?? false }
        let entities = listed.isEmpty ? all : listed
        guard !entities.isEmpty else { throw failure("there is no entity mapping in this file.", 0) }
        return try entities.map { object in
            let mapping = NSEntityMapping()
            mapping.name = object.mappingName
            mapping.sourceEntityName = object.text("sourcename")
            mapping.destinationEntityName = object.text("destinationname")
            mapping.entityMigrationPolicyClassName = object.text("migrationpolicyclassname")
            mapping.mappingType = object.mappingType
            mapping.userInfo = object.userInfo
            mapping.sourceExpression = try sourceExpression(object)
            mapping.sourceEntityVersionHash = entity(mapping.sourceEntityName, in: sourceCopy)?.versionHash
            let made = entity(mapping.destinationEntityName, in: destinationCopy)
            mapping.destinationEntityVersionHash = made?.versionHash
            func properties(_ type: String) throws -> [NSPropertyMapping] {
                try objects.filter { $0.type == type && $0.isPart(of: object) }
                    .sorted { $0.text("name") ?? "" < $1.text("name") ?? "" }
                    .map { try property($0, of: object, among: entities) }
            }
            mapping.attributeMappings = try properties("XDDEVATTRIBUTEMAPPING")
            mapping.relationshipMappings = try properties("XDDEVRELATIONSHIPMAPPING")
            return mapping
        }
    }

    private func entity(_ name: String?, in model: NSManagedObjectModel?) -> NSEntityDescription? {
        name.flatMap { model?.entitiesByName[$0] }
    }

    private func sourceExpression(_ object: MappingModelObject) throws -> NSExpression? {
        guard let name = object.text("sourcename") else { return nil }
        let filter = object.text("sourcefilterpredicatestring")
        if filter == nil || !object.isGenerated, let archived = try expression("sourceexpressiondata", object) {
            return archived
        }
        if let filter, PredicateText.predicate(filter) == nil {
            throw failure("the filter '\(filter)' of '\(object.mappingName)' is no predicate.", object.line)
        }
        return MappingExpression.sources(name, filter)
    }

    private func property(
        _ object: MappingModelObject, of mapping: MappingModelObject, among mappings: [MappingModelObject]
    ) throws -> NSPropertyMapping {
        let property = NSPropertyMapping()
        property.name = object.text("name")
        property.userInfo = object.userInfo
        let isAttribute = object.type == "XDDEVATTRIBUTEMAPPING"
        if let archived = try expression("valueexpressiondata", object) {
            property.valueExpression = archived
        } else if let name = object.text("name"), let entityName = mapping.text("sourcename") {
            let before = entity(entityName, in: source)
            property.valueExpression =
                isAttribute
                ? attributeValue(object, name, before, entity(mapping.text("destinationname"), in: destination))
                : relationshipValue(object, name, before, among: mappings)
        }
        return property
    }

    /// The value of the source's attribute of that name. Nothing if there is none, or one whose values are of another
    /// class: setting them would stop the migration.
    private func attributeValue(
        _ object: MappingModelObject, _ name: String, _ before: NSEntityDescription?, _ after: NSEntityDescription?
    ) -> NSExpression? {
        if let path = object.text("sourcekeypath") { return MappingExpression.value(path) }
        let old = before?.attributesByName[name]
        if source != nil, old == nil { return nil }
        if let old, let new = after?.attributesByName[name],
            old.attributeType.valueClassName != new.attributeType.valueClassName
        {
            return nil
        }
        return MappingExpression.value(name)
    }

    /// The expression for a relationship: the objects made from those of the source's relationship of that name,
    /// nothing if there is none. If one entity mapping reads the relationship's objects, the value names that mapping.
    private func relationshipValue(
        _ object: MappingModelObject, _ name: String, _ entity: NSEntityDescription?,
        among mappings: [MappingModelObject]
    ) -> NSExpression? {
        let path = object.text("sourcekeypath")
        if let named = object.text("sourcemappingname") { return MappingExpression.related(path ?? name, by: named) }
        let related = relatedEntity(path ?? name, from: entity)
        if source != nil, path == nil, related == nil { return nil }
        let names = Set((related?.selfAndDescendants ?? []).compactMap(\.name))
        let readers = mappings.filter { $0.text("sourcename").map(names.contains) ?? false }
        return MappingExpression.related(path ?? name, by: readers.count == 1 ? readers[0].mappingName : nil)
    }

    /// The entity of the objects at a key path. Nil for a path of more than relationships.
    private func relatedEntity(_ path: String, from entity: NSEntityDescription?) -> NSEntityDescription? {
        path.split(separator: ".").filter { $0 != "$source" && !$0.hasPrefix("@") }
            .reduce(entity) { $0?.relationshipsByName[String($1)]?.destinationEntity }
    }

    private func expression(_ key: String, _ object: MappingModelObject) throws -> NSExpression? {
        guard object.text(key) != nil else { return nil }
        guard let archive = object.archive(key),
            let expression = ArchivedPredicate(archive).expression(archive.root)
        else {
            throw failure(
                "the expression of '\(object.text("name") ?? object.mappingName)' is of a kind that is not known "
                    + "here; set it in code.", object.line)
        }
        return expression
    }

    private func failure(_ message: String, _ line: Int) -> ModelFileError {
        ModelFileError(issues: [ModelIssue(.error, message, file, line)])
    }
}
