import Foundation

/// The contents of a model as text: for every place the aspects that differ from the default.
///
/// It shares no code with the writer of model files, so that a comparison detects what the writer leaves out.
struct ModelAspects {
    private(set) var places: [String: [String: String]] = [:]

    init(of model: NSManagedObjectModel) {
        var aspects: [String: String] = [:]
        set("versionIdentifiers", model.versionIdentifiers.map { "\($0.base)" }, in: &aspects)
        for (key, value) in model.localizationDictionary ?? [:] {
            aspects["localization '\(key)'"] = value
        }
        places["the model"] = aspects
        for entity in model.entities { add(entity) }
        for name in model.configurations {
            let members = (model.entities(forConfigurationName: name) ?? []).compactMap(\.name)
            places["configuration '\(name)'"] = [
                "entities": members.sortedByUTF8 { $0 }.joined(separator: ", ")
            ]
        }
        for (name, request) in model.fetchRequestTemplatesByName {
            places["fetch request '\(name)'"] = requestAspects(request)
        }
    }

    /// The contents of an entity, with the properties that it declares.
    init(of entity: NSEntityDescription) { add(entity) }

    /// The contents of a property, without its entity.
    init(of property: NSPropertyDescription) { add(property, at: property.name) }

    private mutating func add(_ entity: NSEntityDescription) {
        let name = entity.name ?? ""
        var aspects: [String: String] = [:]
        aspects["superentity"] = entity.superentity?.name
        aspects["isAbstract"] = entity.isAbstract ? "true" : nil
        aspects["managedObjectClassName"] = entity.managedObjectClassName
        aspects["versionHashModifier"] = entity.versionHashModifier
        aspects["renamingIdentifier"] =
            entity.renamingIdentifier == name ? nil : entity.renamingIdentifier
        aspects["compoundIndexes"] = text(entity.compoundIndexNames)
        aspects["uniquenessConstraints"] = text(entity.uniquenessConstraintNames)
        aspects["coreSpotlightDisplayNameExpression"] = entity.displayNameText
        for index in entity.indexes { aspects["index '\(index.name)'"] = text(index) }
        add(entity.userInfo, to: &aspects)
        places[name] = aspects
        for property in entity.ownProperties { add(property, at: "\(name).\(property.name)") }
    }

    private mutating func add(_ property: NSPropertyDescription, at place: String) {
        var aspects: [String: String] = [:]
        aspects["kind"] = kind(property)
        aspects["isOptional"] = property.isOptional ? "true" : nil
        aspects["isTransient"] = property.isTransient ? "true" : nil
        aspects["isIndexed"] = property.isIndexed ? "true" : nil
        aspects["isStoredInExternalRecord"] = property.isStoredInExternalRecord ? "true" : nil
        aspects["versionHashModifier"] = property.versionHashModifier
        aspects["renamingIdentifier"] =
            property.renamingIdentifier == property.name ? nil : property.renamingIdentifier
        let rules = zip(property.validationPredicates, property.validationWarnings)
        set("validation", rules.map { "\(PredicateText.text($0)) else \($1)" }, in: &aspects)
        aspects["limits"] = property.limits.map { "\($0)" }
        add(property.userInfo, to: &aspects)
        switch property {
        case let attribute as NSAttributeDescription: add(attribute, to: &aspects, at: place)
        case let relationship as NSRelationshipDescription: add(relationship, to: &aspects)
        case let fetched as NSFetchedPropertyDescription:
            guard let request = fetched.fetchRequest else { break }
            for (aspect, value) in requestAspects(request) {
                aspects["fetchRequest.\(aspect)"] = value
            }
        case let computed as NSExpressionDescription:
            aspects["expression"] = computed.expression.map { PredicateText.text($0) }
            aspects["expressionResultType"] = computed.expressionResultType.fileName
        default: break
        }
        places[place] = aspects
    }

    private mutating func add(
        _ attribute: NSAttributeDescription, to aspects: inout [String: String], at place: String
    ) {
        aspects["attributeType"] = attribute.attributeType.fileName
        aspects["attributeValueClassName"] = attribute.attributeValueClassName
        aspects["defaultValue"] = attribute.defaultValue.map { text($0, attribute.attributeType) }
        aspects["valueTransformerName"] = attribute.valueTransformerName
        aspects["allowsExternalBinaryDataStorage"] =
            attribute.allowsExternalBinaryDataStorage ? "true" : nil
        aspects["preservesValueInHistoryOnDeletion"] =
            attribute.preservesValueInHistoryOnDeletion ? "true" : nil
        aspects["allowsCloudEncryption"] = attribute.allowsCloudEncryption ? "true" : nil
        if let derived = attribute as? NSDerivedAttributeDescription {
            aspects["derivationExpression"] =
                derived.derivationText
                ?? derived.derivationExpression.map { PredicateText.text($0) }
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            set("elements", composite.elements.map(\.name), in: &aspects)
            for element in composite.elements { add(element, at: "\(place).\(element.name)") }
        }
    }

    private func add(_ relationship: NSRelationshipDescription, to aspects: inout [String: String])
    {
        aspects["destinationEntity"] = relationship.destinationEntity?.name
        aspects["inverseRelationship"] = relationship.inverseRelationship.map { inverse in
            "\(inverse.declaringEntity?.name ?? "").\(inverse.name)"
        }
        aspects["minCount"] = String(relationship.minCount)
        aspects["maxCount"] = String(relationship.maxCount)
        aspects["deleteRule"] = relationship.deleteRule.fileName
        aspects["isOrdered"] = relationship.isOrdered ? "true" : nil
    }

    private func add(_ userInfo: [AnyHashable: Any]?, to aspects: inout [String: String]) {
        for (key, value) in userInfo ?? [:] {
            aspects["userInfo '\(key)'"] = plain(value)
        }
    }

    private func kind(_ property: NSPropertyDescription) -> String {
        switch property {
        case is NSDerivedAttributeDescription: "derived attribute"
        case is NSAttributeDescription: "attribute"
        case is NSRelationshipDescription: "relationship"
        case is NSExpressionDescription: "expression"
        default: "fetched property"
        }
    }

    /// A default as it is stored, so that a number and the same number in another class are one.
    private func text(_ value: Any, _ type: NSAttributeType) -> String {
        switch DefaultValue(value, type: type) {
        case .integer(let value)?: "\(value)"
        case .real(let value)?: "\(value)"
        case .text(let value)?: value
        case .blob(let bytes)?: "\(bytes)"
        case .object(let value)?: plain(value)
        case nil, .some(.none): "nothing"
        }
    }

    private func plain(_ value: Any) -> String {
        TypedText.text(value).map { "\($0.text) (\($0.type ?? "text"))" } ?? "\(value)"
    }

    private func text(_ groups: [[String]]) -> String? {
        groups.isEmpty ? nil : groups.map { $0.joined(separator: ", ") }.joined(separator: "; ")
    }

    private func text(_ index: NSFetchIndexDescription) -> String {
        let elements = index.elements.map { element in
            let expression = (element.property as? NSExpressionDescription).map { description in
                let text = description.expression.map { PredicateText.text($0) } ?? ""
                return "\(text) as \(description.expressionResultType.fileName)"
            }
            let name = [element.propertyName, expression].compactMap { $0 }.joined(separator: " ")
            let type = element.collationType == .rTree ? "r-tree" : "binary"
            return "\(name) \(type) \(element.isAscending ? "ascending" : "descending")"
        }
        let predicate = index.partialIndexPredicate.map { " where " + PredicateText.text($0) } ?? ""
        return elements.joined(separator: ", ") + predicate
    }

    private func requestAspects(_ request: NSFetchRequest<any NSFetchRequestResult>) -> [String:
        String]
    {
        var aspects: [String: String] = [:]
        aspects["entity"] = request.entityName
        aspects["predicate"] = request.predicate.map { PredicateText.text($0) }
        aspects["havingPredicate"] = request.havingPredicate.map { PredicateText.text($0) }
        aspects["sortDescriptors"] = request.sortDescriptors.map { descriptors in
            descriptors.map {
                "\(PredicateText.element($0)?.attributes.sorted { $0.key < $1.key } ?? [])"
            }
            .joined(separator: ", ")
        }
        aspects["fetchLimit"] = String(request.fetchLimit)
        aspects["fetchOffset"] = String(request.fetchOffset)
        aspects["fetchBatchSize"] = String(request.fetchBatchSize)
        aspects["resultType"] = String(request.resultType.rawValue)
        let answers = [
            ("includesSubentities", request.includesSubentities),
            ("includesPropertyValues", request.includesPropertyValues),
            ("includesPendingChanges", request.includesPendingChanges),
            ("returnsObjectsAsFaults", request.returnsObjectsAsFaults),
            ("returnsDistinctResults", request.returnsDistinctResults),
            ("shouldRefreshRefetchedObjects", request.shouldRefreshRefetchedObjects),
        ]
        for (aspect, isSet) in answers { aspects[aspect] = isSet ? "true" : "false" }
        aspects["relationshipKeyPathsForPrefetching"] = request.relationshipKeyPathsForPrefetching
            .map { "\($0)" }
        aspects["propertiesToFetch"] = request.propertiesToFetch.map { "\($0)" }
        aspects["propertiesToGroupBy"] = request.propertiesToGroupBy.map { "\($0)" }
        return aspects
    }

    private func set(_ aspect: String, _ values: [String], in aspects: inout [String: String]) {
        if !values.isEmpty { aspects[aspect] = values.sortedByUTF8 { $0 }.joined(separator: ", ") }
    }
}
