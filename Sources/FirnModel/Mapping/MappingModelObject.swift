/// One object of a mapping model's file.
struct MappingModelObject {
    let id: String
    let type: String
    let line: Int
    private(set) var attributes: [String: String] = [:]
    private var references: [String: [String]] = [:]

    init(_ element: ModelFileElement) {
        id = element.attributes["id"] ?? ""
        type = element.attributes["type"] ?? ""
        line = element.line
        for child in element.children {
            guard let name = child.attributes["name"] else { continue }
            if child.name == "attribute" { attributes[name] = child.text }
            if child.name == "relationship" {
                references[name] = (child.attributes["idrefs"] ?? "").split(separator: " ").map(String.init)
            }
        }
    }

    /// Whether a property mapping belongs to an entity mapping. It may be recorded on either side only.
    func isPart(of entity: MappingModelObject) -> Bool {
        if references["entitymapping"]?.contains(entity.id) == true { return true }
        let lists = ["attributemappings", "relationshipmappings"]
        return lists.contains { entity.references[$0]?.contains(id) == true }
    }

    /// The position among the entity mappings.
    var number: Int { attributes["mappingnumber"].flatMap { Int($0) } ?? 0 }

    /// Xcode's default where none was given.
    var mappingName: String {
        if let name = attributes["name"], !name.isEmpty { return name }
        switch (attributes["sourcename"], attributes["destinationname"]) {
        case (let source?, let destination?): return "\(source)To\(destination)"
        case (nil, let destination?): return destination
        case (let source?, nil): return source
        default: return id
        }
    }

    var mappingType: NSEntityMappingType {
        if attributes["migrationpolicyclassname"] != nil { return .customEntityMappingType }
        switch attributes["mappingtypename"] {
        case "Add": return .addEntityMappingType
        case "Remove": return .removeEntityMappingType
        case "Copy": return .copyEntityMappingType
        case "Transform": return .transformEntityMappingType
        case "Custom": return .customEntityMappingType
        default: return .undefinedEntityMappingType
        }
    }
}
