import FirnModel
import Foundation
import TestSupport

/// An `.xcmappingmodel` as Xcode writes it, with copies of both models.
struct XcodeMapping {
    /// What a person chose for one entity mapping. Properties that are not named are left to Xcode.
    struct Entity {
        var name: String?
        var source: String?
        var destination: String?
        var policy: String?
        /// The predicate as a person wrote it.
        var filter: String?
        var userInfo: [(String, String)] = []
        /// Key paths by properties, and the entity mappings that read the objects there.
        var paths: [String: (path: String, mapping: String?)] = [:]
        var values: [String: Value] = [:]
    }

    /// A value expression.
    enum Value {
        case path(String)
        case call(String, on: String, [Value])

        func archived(_ builder: ArchiveBuilder) -> ArchiveBuilder.Node {
            func variable(_ name: String) -> ArchiveBuilder.Node {
                builder.object("NSVariableExpression", [("NSVariable", builder.text(name))])
            }
            switch self {
            case .path(let path):
                let parts = path.dropFirst().split(separator: ".", maxSplits: 1).map(String.init)
                return builder.object("NSKeyPathExpression", [
                    ("NSOperand", variable(parts[0])), ("NSSelectorName", builder.text("valueForKeyPath:")),
                    ("NSArguments", builder.array([
                        builder.object("NSKeyPathSpecifierExpression", [("NSKeyPath", builder.text(parts[1]))]),
                    ])),
                ])
            case .call(let name, let target, let arguments):
                return builder.object("NSFunctionExpression", [
                    ("NSSelectorName", builder.text(name)), ("NSOperand", variable(target)),
                    ("NSArguments", builder.array(arguments.map { $0.archived(builder) })),
                ])
            }
        }
    }

    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    let entities: [Entity]

    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(xml.utf8).write(to: folder.appending(path: "xcmapping.xml"))
    }

    var xml: String {
        var objects = ""
        for (index, entity) in entities.enumerated() {
            objects += object("ENTITY", "z\(index)", fields(of: entity, number: index + 1), [])
            let properties = entity.destination.flatMap { destination.entitiesByName[$0]?.properties } ?? []
            for property in properties where !property.isTransient {
                let kind = property is NSRelationshipDescription ? "RELATIONSHIP" : "ATTRIBUTE"
                objects += object(
                    kind, "z\(index)\(property.name)", fields(of: property, entity), [("entitymapping", "z\(index)")])
            }
        }
        let copies: [(String, String?)] = [
            ("sourcemodeldata", Self.base64(EditorModelArchive(source).bytes)),
            ("destinationmodeldata", Self.base64(EditorModelArchive(destination).bytes)),
        ]
        objects += "<object type=\"XDDEVMAPPINGMODEL\" id=\"m\">\(attributes(copies))</object>"
        return "<?xml version=\"1.0\" standalone=\"yes\"?>\n<database>\(objects)</database>"
    }

    private func fields(of entity: Entity, number: Int) -> [(String, String?)] {
        let builder = ArchiveBuilder()
        let info = builder.dictionary(entity.userInfo.map { ($0.0, builder.text($0.1)) })
        return [
            ("name", entity.name), ("sourcename", entity.source), ("destinationname", entity.destination),
            ("mappingnumber", "\(number)"), ("mappingtypename", "Undefined"), ("autogenerateexpression", "1"),
            ("migrationpolicyclassname", entity.policy),
            ("sourcefilterpredicatestring", entity.filter.map(Self.escaped)),
            ("userinfodata", entity.userInfo.isEmpty ? nil : Self.base64(builder.binary(info))),
        ]
    }

    private func fields(of property: NSPropertyDescription, _ entity: Entity) -> [(String, String?)] {
        let builder = ArchiveBuilder()
        let path = entity.paths[property.name]
        let value = entity.values[property.name].map { Self.base64(builder.binary($0.archived(builder))) }
        return [
            ("name", property.name), ("sourcekeypath", path?.path), ("sourcemappingname", path?.mapping),
            ("autogenerateexpression", property is NSRelationshipDescription ? "1" : nil),
            ("valueexpressiondata", value),
        ]
    }

    private func object(
        _ kind: String, _ id: String, _ fields: [(String, String?)], _ references: [(String, String)]
    ) -> String {
        let relationships = references.map { "<relationship name=\"\($0.0)\" idrefs=\"\($0.1)\"></relationship>" }
        let contents = attributes(fields) + relationships.joined()
        return "<object type=\"XDDEV\(kind)MAPPING\" id=\"\(id)\">\(contents)</object>\n"
    }

    private func attributes(_ fields: [(String, String?)]) -> String {
        fields.compactMap { key, text in text.map { "<attribute name=\"\(key)\">\($0)</attribute>" } }.joined()
    }

    /// As Core Data's XML stores write what XML reserves.
    private static func escaped(_ text: String) -> String {
        text.replacing("<", with: "\\u3c00").replacing(">", with: "\\u3e00").replacing("&", with: "\\u2600")
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

/// A model as Xcode's editor archives it into a mapping model.
struct EditorModelArchive {
    private let model: NSManagedObjectModel
    private let builder = ArchiveBuilder()

    init(_ model: NSManagedObjectModel) { self.model = model }

    var bytes: [UInt8] {
        let classes = model.entities.map { ($0.name ?? "", entity($0)) }
        let package = builder.object("XDModelPackage", [("XDBucketForClassesstorage", builder.dictionary(classes))])
        return builder.binary(builder.object("XDPMModel", [("_xd_rootPackage", package)]))
    }

    private func entity(_ entity: NSEntityDescription) -> ArchiveBuilder.Node {
        let own = entity.superentity.map { parent in
            entity.properties.filter { parent.propertiesByName[$0.name] == nil }
        } ?? entity.properties
        let parents = entity.superentity.map { [element("XDPMEntity", $0.name ?? "")] } ?? []
        let constraints = entity.uniquenessConstraints.map { group in
            builder.array(group.compactMap { $0 as? String }.map(builder.text))
        }
        return builder.object("XDPMEntity", [
            ("_name", builder.text(entity.name ?? "")),
            ("XDBucketForOwnedAttributesstorage", builder.dictionary(own.map { ($0.name, property($0)) })),
            ("XDBucketForGeneralizationsstorage", builder.array(parents.map {
                builder.object("XDUMLGeneralizationImp", [("_general", $0)])
            })),
            stereotype([
                ("XD_PSK_isAbstract", builder.add(.boolean(entity.isAbstract))),
                ("XDPMUniquenessConstraints", builder.array(constraints)),
            ]),
        ])
    }

    private func property(_ property: NSPropertyDescription) -> ArchiveBuilder.Node {
        var values = [
            ("XD_PPSK_isOptional", builder.add(.boolean(property.isOptional))),
            ("XD_PPSK_isTransient", builder.add(.boolean(property.isTransient))),
        ]
        if let attribute = property as? NSAttributeDescription {
            values.append(("XD_PAttK_attributeType", builder.add(.integer(Int64(attribute.attributeType.rawValue)))))
            return builder.object("XDPMAttribute", [stereotype(values)])
        }
        guard let relationship = property as? NSRelationshipDescription else {
            return builder.object("XDPMFetchedProperty", [stereotype(values)])
        }
        values += [
            ("XD_PRK_minCount", builder.add(.integer(Int64(relationship.minCount)))),
            ("XD_PRK_maxCount", builder.add(.integer(Int64(relationship.maxCount)))),
            ("XD_PRK_ordered", builder.add(.boolean(relationship.isOrdered))),
            ("XD_PRK_destination", element("XDPMEntity", relationship.destinationEntity?.name ?? "")),
        ]
        if let inverse = relationship.inverseRelationship {
            values.append(("XD_PRK_inverseRelationship", element("XDPMRelationship", inverse.name)))
        }
        return builder.object("XDPMRelationship", [stereotype(values)])
    }

    private func element(_ className: String, _ name: String) -> ArchiveBuilder.Node {
        builder.object(className, [("_name", builder.text(name))])
    }

    private func stereotype(_ values: [(String, ArchiveBuilder.Node)]) -> (String, ArchiveBuilder.Node) {
        let attributes = values.map { key, value in (key, builder.object("XDUMLPropertyImp", [("_default", value)])) }
        let stereotype = builder.object("XDUMLStereotypeImp", [
            ("XDBucketForOwnedAttributesstorage", builder.dictionary(attributes)),
        ])
        return ("XDBucketForStereotypesstorage", builder.dictionary([("XD_PStereotype", stereotype)]))
    }
}
