import Foundation

/// One object of an `xcmapping.xml`, which is an XML store of Core Data.
struct MappingModelObject {
    let id: String
    let type: String
    let line: Int
    private var attributes: [String: String] = [:]
    private var references: [String: [String]] = [:]

    init(_ element: ModelFileElement) {
        id = element.attributes["id"] ?? ""
        type = element.attributes["type"] ?? ""
        line = element.line
        for child in element.children {
            guard let name = child.attributes["name"] else { continue }
            if child.name == "attribute" { attributes[name] = Self.unescaped(child.text) }
            if child.name == "relationship" {
                references[name] = (child.attributes["idrefs"] ?? "").split(separator: " ").map(String.init)
            }
        }
    }

    /// XML stores write `<` as `\u3c00`: a UTF-16 code unit, in the order of bytes of the machine.
    private static func unescaped(_ text: String) -> String {
        guard text.contains("\\u") else { return text }
        return text.replacing(/\\u([0-9a-fA-F]{2})([0-9a-fA-F]{2})/) { match in
            UInt32(match.2 + match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? String(match.0)
        }
    }

    /// The text of an attribute; nil for an empty one, which Xcode leaves where a person deleted the text.
    func text(_ key: String) -> String? { attributes[key].flatMap { $0.isEmpty ? nil : $0 } }

    /// The archive in an attribute.
    func archive(_ key: String) -> KeyedArchive? {
        text(key).flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
            .flatMap { KeyedArchive([UInt8]($0)) }
    }

    var userInfo: [AnyHashable: Any]? {
        archive("userinfodata").flatMap { $0.value(of: $0.root) } as? [AnyHashable: Any]
    }

    /// Whether Xcode was asked to make the expression.
    var isGenerated: Bool { text("autogenerateexpression") == "1" }

    /// Whether a property mapping belongs to an entity mapping, or that to the mapping model. It may be recorded on
    /// either side only.
    func isPart(of owner: MappingModelObject) -> Bool {
        if ["entitymapping", "mappingmodel"].contains(where: { references[$0]?.contains(owner.id) == true }) {
            return true
        }
        let lists = ["attributemappings", "relationshipmappings", "entitymappings"]
        return lists.contains { owner.references[$0]?.contains(id) == true }
    }

    /// The position among the entity mappings.
    var number: Int { text("mappingnumber").flatMap { Int($0) } ?? 0 }

    /// Xcode's default where none was given.
    var mappingName: String {
        if let name = text("name") { return name }
        switch (text("sourcename"), text("destinationname")) {
        case (let source?, let destination?): return "\(source)To\(destination)"
        case (nil, let destination?): return destination
        case (let source?, nil): return source
        default: return id
        }
    }

    /// The type that Xcode's compiler gives the mapping. `Undefined`, which files have, leaves it to the compiler.
    var mappingType: NSEntityMappingType {
        if text("migrationpolicyclassname") != nil { return .customEntityMappingType }
        switch text("mappingtypename") {
        case "Add": return .addEntityMappingType
        case "Remove": return .removeEntityMappingType
        case "Copy": return .copyEntityMappingType
        case "Transform": return .transformEntityMappingType
        case "Custom": return .customEntityMappingType
        default: break
        }
        if text("sourcename") == nil { return .addEntityMappingType }
        return text("destinationname") == nil ? .removeEntityMappingType : .copyEntityMappingType
    }
}
