import Foundation

/// Makes the elements of a model file of a model's descriptions.
///
/// Canonical: the same model gives the same file, whatever the order in which it was put together. Only booleans
/// that are set and values that differ from the format's defaults are written.
struct ModelWriter {
    let model: NSManagedObjectModel
    /// Whether tool versions and the diagram's layout, which only an editor needs, are written too.
    let includesEditorInfo: Bool
    /// The composites met so far, by the name that they are written under.
    private(set) var composites: [String: ModelFileElement] = [:]

    /// The `<model>`.
    mutating func element() -> ModelFileElement {
        var root = ModelFileElement("model", preserved(model.sourceAttributes))
        root["type"] = "com.apple.IDECoreDataModeler.DataModel"
        root["documentVersion"] = root["documentVersion"] ?? "1.0"
        root["xmlns:firn"] = ModelFileFormat.namespace
        let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sortedByUTF8 { $0 }
        if identifiers.count == 1 { root["userDefinedModelVersionIdentifier"] = identifiers[0] }
        if identifiers.count > 1 {
            root.children += identifiers.map {
                ModelFileElement("firn:versionIdentifier", ["value": $0])
            }
        }
        for entity in model.entities.sortedByUTF8({ $0.name ?? "" }) {
            root.children.append(self.entity(entity))
        }
        root.children += composites.sorted { $0.key.precedesInUTF8($1.key) }.map(\.value)
        root.children += configurations()
        root.children += model.templates.sorted { $0.key.precedesInUTF8($1.key) }.map {
            request($1, name: $0)
        }
        root.children += (model.localizationDictionary ?? [:]).sorted {
            $0.key.precedesInUTF8($1.key)
        }
        .map { ModelFileElement("firn:localization", ["key": $0, "value": $1]) }
        root.children += preserved(model.sourceElements)
        return root
    }

    /// Preserved contents of the file. Those for an editor only are left out unless `includesEditorInfo` is set.
    func preserved(_ attributes: [String: String]) -> [String: String] {
        if includesEditorInfo { return attributes }
        return attributes.filter { !ModelFileFormat.editorAttributes.contains($0.key) }
    }

    func preserved(_ elements: [ModelFileElement]) -> [ModelFileElement] {
        if includesEditorInfo { return elements }
        return elements.filter { !ModelFileFormat.editorElements.contains($0.name) }
    }

    /// `<userInfo>`, or nothing. What has no text is left out.
    func userInfo(_ info: [AnyHashable: Any]?) -> [ModelFileElement] {
        let entries = (info ?? [:]).compactMap { key, value -> ModelFileElement? in
            guard let key = key.base as? String, let plain = TypedText.text(value) else {
                return nil
            }
            var entry = ModelFileElement("entry", ["key": key, "value": plain.text])
            entry["firn:type"] = plain.type
            return entry
        }
        if entries.isEmpty { return [] }
        return [ModelFileElement("userInfo", children: entries.sortedByUTF8 { $0["key"] ?? "" })]
    }

    /// Registers the declaration of a composite and returns its name.
    mutating func declare(_ composite: NSCompositeAttributeDescription) -> String {
        let wanted =
            composite.compositeName ?? "\(composite.declaringEntity?.name ?? "").\(composite.name)"
        var elements: [ModelFileElement] = []
        for element in composite.elements { elements.append(attribute(element)) }
        var name = wanted
        var number = 2
        while let other = composites[name], other.children != elements {
            name = "\(wanted) \(number)"
            number += 1
        }
        composites[name] = ModelFileElement("composite", ["name": name], children: elements)
        return name
    }

    private mutating func entity(_ entity: NSEntityDescription) -> ModelFileElement {
        var element = ModelFileElement("entity", preserved(entity.sourceAttributes))
        element["name"] = entity.name
        element["representedClassName"] = entity.explicitClassName
        element["parentEntity"] = entity.superentity?.name
        element["isAbstract"] = flag(entity.isAbstract)
        element["versionHashModifier"] = entity.versionHashModifier
        element["elementID"] = entity.explicitRenamingIdentifier
        let properties = entity.ownProperties.sortedByUTF8(\.name)
        for case let property as NSAttributeDescription in properties {
            element.children.append(attribute(property))
        }
        for case let property as NSRelationshipDescription in properties {
            element.children.append(relationship(property))
        }
        for case let property as NSFetchedPropertyDescription in properties {
            element.children.append(fetchedProperty(property))
        }
        element.children += entity.indexes.map { index($0) }
        element.children += groups(
            entity.compoundIndexNames, in: "compoundIndexes", each: "compoundIndex", member: "index"
        )
        element.children += groups(
            entity.uniquenessConstraintNames, in: "uniquenessConstraints",
            each: "uniquenessConstraint",
            member: "constraint")
        element.children += userInfo(entity.userInfo) + preserved(entity.sourceElements)
        return element
    }

    private func groups(
        _ groups: [[String]], in outer: String, each inner: String, member: String
    ) -> [ModelFileElement] {
        if groups.isEmpty { return [] }
        let elements = groups.map { names in
            ModelFileElement(inner, children: names.map { ModelFileElement(member, ["value": $0]) })
        }
        return [ModelFileElement(outer, children: elements)]
    }

    private func configurations() -> [ModelFileElement] {
        model.configurations.sortedByUTF8 { $0 }.map { name in
            let members = (model.configurationEntities[name] ?? []).compactMap(\.name).sortedByUTF8
            { $0 }
            return ModelFileElement(
                "configuration", ["name": name],
                children: members.map { ModelFileElement("memberEntity", ["name": $0]) })
        }
    }
}

/// Flags are written as `YES` or not at all.
func flag(_ isSet: Bool) -> String? { isSet ? "YES" : nil }

extension NSManagedObjectModel {
    /// The model as the XML of an `.xcdatamodel`'s `contents`. Reading it gives an equal model.
    ///
    /// Canonical: equal models give the same bytes. Contents for an editor only (tool versions, the diagram) are left
    /// out unless requested. Values in user info that a property list cannot hold have no text, and are left out.
    package func xcdatamodelContents(includingEditorInfo: Bool = false) -> [UInt8] {
        var writer = ModelWriter(model: self, includesEditorInfo: includingEditorInfo)
        return XMLText(writer.element()).bytes
    }
}
