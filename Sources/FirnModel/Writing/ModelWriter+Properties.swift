import Foundation

extension ModelWriter {
    /// An `<attribute>` of an entity or a composite.
    mutating func attribute(_ attribute: NSAttributeDescription) -> ModelFileElement {
        var element = common(attribute, "attribute")
        if attribute.attributeType != .undefinedAttributeType {
            element["attributeType"] = attribute.attributeType.fileName
        }
        element["valueTransformerName"] = attribute.valueTransformerName
        element["firn:valueClassName"] = attribute.explicitValueClassName
        element["allowsExternalBinaryDataStorage"] = flag(attribute.allowsExternalBinaryDataStorage)
        element["preserveAfterDeletion"] = flag(attribute.preservesValueInHistoryOnDeletion)
        if let composite = attribute as? NSCompositeAttributeDescription {
            element["composite"] = declare(composite)
        }
        if let derived = attribute as? NSDerivedAttributeDescription {
            element["derived"] = "YES"
            element["derivationExpression"] =
                derived.derivationText
                ?? derived.derivationExpression.map { PredicateText.text($0) }
        }
        writeDefault(of: attribute, into: &element)
        writeValidation(of: attribute, into: &element)
        element.children += userInfo(attribute.userInfo) + preserved(attribute.sourceElements)
        return element
    }

    /// A `<relationship>`.
    func relationship(_ relationship: NSRelationshipDescription) -> ModelFileElement {
        var element = common(relationship, "relationship")
        element["deletionRule"] = relationship.deleteRule.fileName
        element["destinationEntity"] = relationship.destinationEntity?.name
        if let inverse = relationship.inverseRelationship {
            element["inverseName"] = inverse.name
            element["inverseEntity"] = inverse.declaringEntity?.name
        }
        element["toMany"] = flag(relationship.isToMany)
        element["ordered"] = flag(relationship.isOrdered)
        element["minCount"] = relationship.minCount == 0 ? nil : String(relationship.minCount)
        element["maxCount"] = relationship.maxCount == 0 ? nil : String(relationship.maxCount)
        writeValidation(of: relationship, into: &element)
        element.children += userInfo(relationship.userInfo) + preserved(relationship.sourceElements)
        return element
    }

    /// A `<fetchedProperty>` with its request.
    func fetchedProperty(_ property: NSFetchedPropertyDescription) -> ModelFileElement {
        var element = common(property, "fetchedProperty")
        element["transient"] = nil
        if let request = property.fetchRequest {
            element.children.append(self.request(request, name: "fetchedPropertyFetchRequest"))
        }
        writeValidation(of: property, into: &element)
        element.children += userInfo(property.userInfo) + preserved(property.sourceElements)
        return element
    }

    private func common(_ property: NSPropertyDescription, _ name: String) -> ModelFileElement {
        var element = ModelFileElement(name, preserved(property.sourceAttributes))
        element["name"] = property.name
        element["optional"] = flag(property.isOptional)
        element["transient"] = flag(property.isTransient)
        element["indexed"] = flag(property.isIndexed)
        element["storedInTruthFile"] = flag(property.isStoredInExternalRecord)
        element["versionHashModifier"] = property.versionHashModifier
        element["elementID"] = property.explicitRenamingIdentifier
        return element
    }

    /// Writes a default as Core Data's format does. For types without defaults there, it writes a typed text if the
    /// value has one.
    private func writeDefault(
        of attribute: NSAttributeDescription, into element: inout ModelFileElement
    ) {
        guard let value = attribute.defaultValue, !(value is NSNull) else { return }
        if let text = AttributeText.text(value, type: attribute.attributeType) {
            let isDate = attribute.attributeType == .dateAttributeType
            element[isDate ? "defaultDateTimeInterval" : "defaultValueString"] = text
        } else if let plain = TypedText.text(value) {
            var child = ModelFileElement("firn:default", ["value": plain.text])
            child["firn:type"] = plain.type
            element.children.append(child)
        }
    }

    /// Writes limits from a file unchanged, and predicates set in code under elements of our own.
    private func writeValidation(
        of property: NSPropertyDescription, into element: inout ModelFileElement
    ) {
        if let limits = property.limits {
            let isDate = (property as? NSAttributeDescription)?.attributeType == .dateAttributeType
            element[isDate ? "minDateTimeInterval" : "minValueString"] = limits.minimum
            element[isDate ? "maxDateTimeInterval" : "maxValueString"] = limits.maximum
            element["regularExpressionString"] = limits.pattern
            return
        }
        for (predicate, warning) in zip(property.validationPredicates, property.validationWarnings)
        {
            let plain = TypedText.text(warning) ?? ("\(warning)", nil)
            var child = ModelFileElement(
                "firn:validation",
                ["predicate": PredicateText.text(predicate), "warning": plain.text])
            child["firn:type"] = plain.type
            element.children.append(child)
        }
    }
}
