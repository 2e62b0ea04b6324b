import FirnFoundation
import class FirnFoundation.NSExpression
import Foundation

/// An `.xcmappingmodel` as Xcode keeps it: objects in XML that refer to each other by number.
///
///     <object type="XDDEVENTITYMAPPING" id="z104">
///         <attribute name="sourcename" type="string">Mood</attribute>
///         <relationship name="mappingmodel" … idrefs="z114"></relationship>
///
/// Or a `.cdm`, which Xcode makes of it: see `CompiledMappingModel`.
struct MappingModelFile {
    private let url: URL

    /// The folder, the XML file in it, or a compiled file.
    init(_ url: URL) {
        let isFile = ["xml", "cdm"].contains(url.pathExtension)
        self.url = isFile ? url : url.appendingPathComponent("xcmapping.xml")
    }

    /// The mapping models among the resources of bundles.
    static func all(in bundles: [Bundle]) -> [MappingModelFile] {
        let extensions = ["xcmappingmodel", "cdm"]
        return bundles.flatMap { bundle in
            extensions.flatMap { bundle.urls(forResourcesWithExtension: $0, subdirectory: nil) ?? [] }
        }
            .sorted { ($0.path ?? "") < ($1.path ?? "") }.map { MappingModelFile($0 as URL) }
    }

    /// The contents of the file.
    struct Contents {
        var entityMappings: [NSEntityMapping]

        /// Whether both models have all mapped entities and properties, in the versions that the mapping names.
        func leads(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> Bool {
            let (old, new) = (source.entitiesByName, destination.entitiesByName)
            let isKnown = entityMappings.allSatisfy { mapping in
                mapping.sourceEntityName.map { old[$0] != nil } ?? true
                    && mapping.destinationEntityName.map { name in
                        new[name].map { hasProperties(mapping, $0) } ?? false
                    } ?? true
            }
            let mapped = Set(entityMappings.compactMap(\.destinationEntityName))
            return isKnown && !entityMappings.isEmpty
                && new.values.allSatisfy { $0.isAbstract || mapped.contains($0.name ?? "") }
        }

        private func hasProperties(_ mapping: NSEntityMapping, _ entity: NSEntityDescription) -> Bool {
            let mapped = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
            return Set(mapped.compactMap(\.name)).isSubset(of: entity.properties.map(\.name))
        }
    }

    /// - Throws: `ModelFileError` with file and line.
    func read() throws -> Contents {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw failure("the file cannot be read: \(error.localizedDescription)")
        }
        if data.starts(with: BinaryPropertyList.magic) { return try compiled(KeyedArchive([UInt8](data))) }
        let root = try ModelFileParser.parse(data, file: url.path)
        if root.name == "plist" { return try compiled(XMLPropertyList.read(root).flatMap { KeyedArchive($0) }) }
        guard root.name == "database" else { throw failure("a mapping model begins with <database>.", root.line) }
        var objects: [MappingModelObject] = []
        for element in root.children where element.name == "object" { objects.append(MappingModelObject(element)) }
        return Contents(entityMappings: try mappings(objects))
    }

    private func compiled(_ archive: KeyedArchive?) throws -> Contents {
        guard let archive, let mappings = CompiledMappingModel(archive)?.entityMappings else {
            throw failure("this is no compiled mapping model, or a damaged one; compile it again.")
        }
        return Contents(entityMappings: mappings)
    }

    private func mappings(_ objects: [MappingModelObject]) throws -> [NSEntityMapping] {
        let entities = objects.filter { $0.type == "XDDEVENTITYMAPPING" }
        guard !entities.isEmpty else { throw failure("there is no entity mapping in this file.") }
        let names = Dictionary(entities.map { ($0.id, $0.mappingName) }) { first, _ in first }
        return try entities.sorted { $0.number < $1.number }.map { object in
            let mapping = NSEntityMapping()
            mapping.name = object.mappingName
            mapping.sourceEntityName = object.attributes["sourcename"]
            mapping.destinationEntityName = object.attributes["destinationname"]
            mapping.entityMigrationPolicyClassName = object.attributes["migrationpolicyclassname"]
            mapping.mappingType = object.mappingType
            func properties(_ type: String) throws -> [NSPropertyMapping] {
                try objects.filter { $0.type == type && $0.isPart(of: object) }
                    .sorted { $0.attributes["name"] ?? "" < $1.attributes["name"] ?? "" }
                    .map { try property($0, names) }
            }
            mapping.attributeMappings = try properties("XDDEVATTRIBUTEMAPPING")
            mapping.relationshipMappings = try properties("XDDEVRELATIONSHIPMAPPING")
            return mapping
        }
    }

    private func property(
        _ object: MappingModelObject, _ names: [String: String]
    ) throws -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = object.attributes["name"]
        if let archive = object.attributes["valueexpressiondata"] {
            mapping.valueExpression = try expression(archive, object)
        } else if object.attributes["autogenerateexpression"] == "1" || object.attributes["sourcekeypath"] != nil {
            let path = object.attributes["sourcekeypath"] ?? object.attributes["name"] ?? ""
            if object.type == "XDDEVATTRIBUTEMAPPING" {
                mapping.valueExpression = InferredMapping.value(path)
            } else {
                let named = object.attributes["sourcemappingname"]
                mapping.valueExpression = NSExpression(
                    forFunction: NSExpression(forVariable: "manager"),
                    selectorName: named == nil
                        ? "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
                        : "destinationInstancesForEntityMappingNamed:sourceInstances:",
                    arguments: [
                        NSExpression(forConstantValue: named ?? path), InferredMapping.value(path),
                    ])
            }
        }
        return mapping
    }

    private func expression(_ text: String, _ object: MappingModelObject) throws -> NSExpression {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters),
            let archive = KeyedArchive([UInt8](data)),
            let expression = ArchivedPredicate(archive).expression(archive.root)
        else {
            throw failure(
                "the value expression of '\(object.attributes["name"] ?? "")' is of a kind that is not known here; "
                    + "set it in code.", object.line)
        }
        return expression
    }

    private func failure(_ message: String, _ line: Int = 0) -> ModelFileError {
        ModelFileError(issues: [ModelIssue(.error, message, url.path, line)])
    }
}
