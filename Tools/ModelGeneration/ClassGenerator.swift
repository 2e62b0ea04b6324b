package import FirnModel

/// Writes the Swift classes of a model's entities, as Xcode does in two files an entity. One has the class and is
/// edited by hand. The other has the properties and is generated again when the model changes.
///
/// Xcode's properties are `@NSManaged`, which needs Objective-C; here they call key-value coding, which is what
/// `@NSManaged` does.
package struct ClassGenerator {
    /// A file to be written.
    package struct File: Hashable, Sendable {
        package var name: String
        package var text: String
    }

    /// Selects the files: Xcode's "Class Definition" is both, "Category/Extension" the second.
    package enum Form: Sendable {
        case classDefinition
        case categoryExtension
        /// For each entity the files that its `codeGenerationType` names; none without that attribute.
        case asModelled
    }

    private let model: NSManagedObjectModel
    private let module: String
    private let access: String

    /// - Parameters:
    ///   - module: the module that the files import: `CoreData`.
    ///   - isPublic: whether classes and members are public, as Xcode's are, or internal.
    package init(model: NSManagedObjectModel, module: String = "CoreData", isPublic: Bool = true) {
        self.model = model
        self.module = module
        access = isPublic ? "public " : ""
    }

    /// The files of all entities that have a class of their own, by file name.
    package func files(_ form: Form = .classDefinition) -> [File] {
        var files: [File] = []
        var seen: Set<String> = []
        for entity in model.entities.sortedByUTF8({ $0.name ?? "" }) {
            guard let className = entity.swiftClassName, seen.insert(className).inserted else {
                continue
            }
            let forms = self.form(of: entity, form)
            if forms.class {
                files.append(
                    File(
                        name: "\(className)+CoreDataClass.swift", text: classText(entity, className)
                    ))
            }
            if forms.extension {
                let text = extensionText(entity, className)
                files.append(File(name: "\(className)+CoreDataProperties.swift", text: text))
            }
        }
        return files
    }

    private func form(of entity: NSEntityDescription, _ form: Form) -> (
        class: Bool, extension: Bool
    ) {
        switch form {
        case .classDefinition: (true, true)
        case .categoryExtension: (false, true)
        case .asModelled:
            switch entity.sourceAttributes["codeGenerationType"] {
            case "class": (true, true)
            case "category": (false, true)
            default: (false, false)
            }
        }
    }

    private func classText(_ entity: NSEntityDescription, _ className: String) -> String {
        let above = entity.superentity?.swiftClassName ?? "NSManagedObject"
        return """
            import Foundation
            import \(module)

            \(access)class \(className.asIdentifier): \(above.asIdentifier) {
            }

            """
    }

    private func extensionText(_ entity: NSEntityDescription, _ className: String) -> String {
        let type = className.asIdentifier
        var text = """
            import Foundation
            import \(module)

            extension \(type) {
                \(access)class func fetchRequest() -> NSFetchRequest<\(type)> {
                    NSFetchRequest<\(type)>(entityName: \(entity.name.asLiteral))
                }

            """
        let properties = entity.ownProperties.sortedByUTF8(\.name).filter {
            $0.name.canBeIdentifier
        }
        for property in properties {
            text += "\n" + GeneratedProperty(property, access: access).text
        }
        text += "}\n"
        for case let relationship as NSRelationshipDescription in properties
        where relationship.isToMany {
            text += "\nextension \(type) {\n"
            text += GeneratedMembers(relationship, access: access).text
            text += "}\n"
        }
        return text + keyNamesText(entity, type)
    }

    /// The names of Swift's key paths, for sort descriptors and predicates: see `GeneratedKeyNames`.
    private func keyNamesText(_ entity: NSEntityDescription, _ type: String) -> String {
        let names = entity.ownProperties.map(\.name).filter(\.canBeIdentifier).sortedByUTF8 { $0 }
        if names.isEmpty { return "" }
        let lines = names.map { "        add(\\\(type).\($0.asIdentifier), \($0.asLiteral))\n" }.joined()
        return """

            final class \(type.filter { $0 != "`" })_KeyNames: GeneratedKeyNames {
                override class func list(_ add: (AnyKeyPath, String) -> Void) {
            \(lines)    }
            }

            """
    }
}

extension NSEntityDescription {
    /// The class without its module; nil for entities whose objects are plain managed objects.
    package var swiftClassName: String? {
        let name =
            explicitClassName?.split(separator: ".").last.map(String.init) ?? "NSManagedObject"
        return name == "NSManagedObject" || !name.canBeIdentifier ? nil : name
    }
}

extension Optional<String> {
    /// A Swift string literal.
    var asLiteral: String { (self ?? "").asLiteral }
}
