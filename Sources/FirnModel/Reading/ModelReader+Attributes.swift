import Foundation
import class FirnFoundation.NSPredicate

extension ModelReader {
    private static let attributesRead: Set<String> = [
        "name", "attributeType", "optional", "transient", "indexed", "storedInTruthFile",
        "versionHashModifier",
        "elementID", "valueTransformerName", "firn:valueClassName",
        "allowsExternalBinaryDataStorage",
        "preserveAfterDeletion", "defaultValueString", "defaultDateTimeInterval", "minValueString",
        "maxValueString",
        "minDateTimeInterval", "maxDateTimeInterval", "regularExpressionString", "derived",
        "composite",
    ]
    private static let attributesKept: Set<String> = [
        "customClassName", "syncable", "usesScalarValueType", "spotlightIndexingEnabled",
        "ephemeral",
        "allowsCloudEncryption",
    ]

    /// An `<attribute>` of an entity or a composite.
    mutating func readAttribute(_ element: ModelFileElement) -> NSAttributeDescription? {
        guard let name = element["name"], !name.isEmpty else {
            error("an <attribute> has no name.", element)
            return nil
        }
        guard let attribute = makeAttribute(element, name) else { return nil }
        readCommon(element, into: attribute)
        if attribute.attributeType != .compositeAttributeType,
            let typeName = element["attributeType"]
        {
            guard let type = NSAttributeType(fileName: typeName) else {
                error("'\(name)' is of the unknown type '\(typeName)'.", element)
                return nil
            }
            attribute.attributeType = type
        }
        attribute.valueTransformerName = element["valueTransformerName"]
        attribute.explicitValueClassName = element["firn:valueClassName"]
        attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.flag("preserveAfterDeletion")
        readDefault(element, into: attribute)
        readLimits(element, into: attribute)
        if element["attributeType"] == nil, !attribute.isTransient {
            error(
                "'\(name)' has no attributeType; only a transient attribute may be without.",
                element)
        }
        attribute.sourceAttributes = leftover(
            element, read: Self.attributesRead.union(attribute.textsRead), kept: Self.attributesKept
        )
        attribute.sourceElements = leftoverChildren(
            element, read: ["userInfo", "firn:validation", "firn:default"])
        return attribute
    }

    /// Attributes and elements that every kind of property may have.
    mutating func readCommon(_ element: ModelFileElement, into property: NSPropertyDescription) {
        property.name = element["name"] ?? ""
        property.isOptional = element.flag("optional")
        property.isTransient = element.flag("transient")
        property.isIndexed = element.flag("indexed")
        property.isStoredInExternalRecord = element.flag("storedInTruthFile")
        property.versionHashModifier = element["versionHashModifier"]
        property.explicitRenamingIdentifier = element["elementID"]
        property.userInfo = userInfo(element)
    }

    /// The `<userInfo>` of an element: texts by texts, unless an entry names another type.
    mutating func userInfo(_ element: ModelFileElement) -> [AnyHashable: Any] {
        let entries = element.children("userInfo").flatMap { $0.children("entry") }
        var info: [AnyHashable: Any] = [:]
        for entry in entries {
            guard let key = entry["key"] else {
                warning("an <entry> has no key; it is left out.", entry)
                continue
            }
            info[key] = TypedText.value(entry["value"] ?? "", type: entry["firn:type"])
        }
        return info
    }

    private mutating func makeAttribute(_ element: ModelFileElement, _ name: String)
        -> NSAttributeDescription?
    {
        if element["attributeType"] == "Composite" {
            let composite = NSCompositeAttributeDescription()
            composite.compositeName = element["composite"]
            guard let elements = compositeElements(element, name) else { return nil }
            composite.elements = elements
            return composite
        }
        guard element.flag("derived") else { return NSAttributeDescription() }
        let derived = NSDerivedAttributeDescription()
        let text = element["derivationExpression"] ?? ""
        if let expression = PredicateText.expression(text) {
            derived.derivationExpression = expression
        } else {
            warning(
                "the derivation expression '\(text)' of '\(name)' cannot be read; it is preserved as text.",
                element)
        }
        derived.derivationText = text
        return derived
    }

    private mutating func compositeElements(_ element: ModelFileElement, _ name: String)
        -> [NSAttributeDescription]?
    {
        let compositeName = element["composite"] ?? ""
        guard let declaration = composites[compositeName] else {
            error(
                "'\(name)' is of the composite '\(compositeName)', which the model does not have.",
                element)
            return nil
        }
        if openComposites.contains(compositeName) {
            error("the composite '\(compositeName)' contains itself.", element)
            return nil
        }
        openComposites.append(compositeName)
        defer { openComposites.removeLast() }
        return declaration.children("attribute").compactMap { readAttribute($0) }
    }

    private mutating func readDefault(
        _ element: ModelFileElement, into attribute: NSAttributeDescription
    ) {
        if let ours = element.children("firn:default").first {
            attribute.defaultValue = TypedText.value(ours["value"] ?? "", type: ours["firn:type"])
            return
        }
        let isDate = attribute.attributeType == .dateAttributeType
        guard let text = element[isDate ? "defaultDateTimeInterval" : "defaultValueString"] else {
            return
        }
        let reading = AttributeText.value(text, type: attribute.attributeType)
        attribute.defaultValue = reading.value
        if let complaint = reading.complaint {
            warning("the default '\(text)' of '\(attribute.name)' \(complaint).", element)
        }
    }

    private mutating func readLimits(
        _ element: ModelFileElement, into attribute: NSAttributeDescription
    ) {
        let ours = element.children("firn:validation")
        if !ours.isEmpty { return readPredicates(ours, into: attribute) }
        let isDate = attribute.attributeType == .dateAttributeType
        let limits = ValidationLimits(
            minimum: element[isDate ? "minDateTimeInterval" : "minValueString"],
            maximum: element[isDate ? "maxDateTimeInterval" : "maxValueString"],
            pattern: element["regularExpressionString"])
        guard !limits.isEmpty else { return }
        let rules = limits.rules(for: attribute.attributeType)
        for complaint in rules.complaints {
            warning("'\(attribute.name)' has \(complaint); it does not apply.", element)
        }
        if let problem = limits.contradiction { warning("'\(attribute.name)' has \(problem).", element) }
        attribute.setValidation(rules.predicates, warnings: rules.warnings, limits: limits)
    }

    /// Validation predicates that were set in code, under elements of our own.
    mutating func readPredicates(
        _ elements: [ModelFileElement], into property: NSPropertyDescription
    ) {
        var predicates: [NSPredicate] = []
        var warnings: [Any] = []
        for element in elements {
            let text = element["predicate"] ?? ""
            guard let predicate = PredicateText.predicate(text) else {
                warning(
                    "the validation predicate '\(text)' cannot be read; it does not apply.", element
                )
                continue
            }
            predicates.append(predicate)
            warnings.append(TypedText.value(element["warning"] ?? "", type: element["firn:type"]))
        }
        property.setValidation(predicates, warnings: warnings, limits: nil)
    }
}

extension NSAttributeDescription {
    /// Attributes of the element that only this kind of description reads.
    var textsRead: Set<String> {
        self is NSDerivedAttributeDescription ? ["derivationExpression"] : []
    }
}
