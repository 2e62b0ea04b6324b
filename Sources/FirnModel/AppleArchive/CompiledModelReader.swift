import Foundation

import class FirnFoundation.NSPredicate

/// Reads a model that Xcode compiled: a keyed archive of the descriptions.
///
/// The archive holds what `contents` holds, without Xcode's own data. Core Data may have copied properties into
/// subentities; those are read for the declaring entity only.
struct CompiledModelReader {
    /// In an attribute's flags: the value may be in a file of its own. Apple's header declares the field as the third
    /// bit of the flags.
    private static let storesExternallyFlag = 4
    /// In an attribute's flags. Measured: Xcode sets it for `preserveAfterDeletion`.
    private static let preservesValueFlag = 16

    private let archive: KeyedArchive
    private let file: String
    private(set) var issues: [ModelIssue] = []
    private var entities: [String: NSEntityDescription] = [:]

    /// Fills an empty model from an archive; nil for one that could not be read.
    ///
    /// - Returns: the warnings.
    /// - Throws: `ModelFileError` if there is no compiled model, or the model is no good.
    static func read(_ archive: KeyedArchive?, file: String, into model: NSManagedObjectModel) throws -> [ModelIssue] {
        guard let archive, archive.root.className == "NSManagedObjectModel" else {
            let found = archive.map { "it is an archive of \($0.root.className)" } ?? "it may be damaged"
            throw ModelFileError(issues: [
                ModelIssue(.error, "this is no compiled model, \(found); compile the model again.", file)
            ])
        }
        var reader = CompiledModelReader(archive: archive, file: file)
        try reader.fill(model)
        return reader.issues
    }

    private init(archive: KeyedArchive, file: String) {
        self.archive = archive
        self.file = file
    }

    private mutating func fill(_ model: NSManagedObjectModel) throws {
        // In a damaged archive an entry may occur twice: the first one is used.
        var seen: Set<String> = []
        let archived = archive.entries("NSEntities", of: archive.root).filter { seen.insert($0.key).inserted }
        for (name, object) in archived { entities[name] = entity(name, object) }
        connectHierarchy(archived)
        let roots = archived.compactMap { entities[$0.key] }.filter { $0.superentity == nil }
        let objects = Dictionary(archived.map { ($0.key, $0.value) }) { first, _ in first }
        for entity in roots.flatMap(\.selfAndDescendants) {
            guard let name = entity.name, let object = objects[name] else { continue }
            readProperties(object, of: entity)
        }
        for (name, object) in archived { connectInverses(object, of: name) }
        for (name, object) in archived { readIndexes(object, of: name) }
        model.entities = archived.compactMap { entities[$0.key] }
        model.versionIdentifiers = Set(
            archive.memberValues("NSVersionIdentifiers", of: archive.root).compactMap {
                $0 as? String
            }
            .map { AnyHashable($0) })
        for (name, object) in archive.entries("NSConfigurations", of: archive.root) {
            model.setEntities(members(object), forConfigurationName: name)
        }
        for (name, object) in archive.entries("NSFetchRequestTemplates", of: archive.root) {
            model.setFetchRequestTemplate(request(object), forName: name)
        }
        issues += model.detachInconsistentInverses().map { ModelIssue(.warning, $0.message, file) }
        let problems = model.validate().map { ModelIssue(.error, $0.message, file) }
        if !problems.isEmpty { throw ModelFileError(issues: problems) }
    }

    private func entity(_ name: String, _ object: KeyedArchive.Record) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = archive.text("NSEntityName", of: object) ?? name
        entity.explicitClassName = archive.text("NSClassNameForEntity", of: object)
        entity.isAbstract = archive.flag("NSIsAbstract", of: object)
        entity.versionHashModifier = archive.text("NSVersionHashModifier", of: object)
        let identifier = archive.text("NSRenamingIdentifier", of: object)
        entity.explicitRenamingIdentifier = identifier == entity.name ? nil : identifier
        entity.userInfo = userInfo(object)
        entity.uniquenessConstraints = groups("NSUniqueTuples", object)
        return entity
    }

    /// Arrays of names: an archive has the names, or the properties themselves.
    private func groups(_ field: String, _ object: KeyedArchive.Record) -> [[String]] {
        archive.memberValues(field, of: object).compactMap { group in
            (group as? [Any])?.compactMap { $0 as? String }
        }
    }

    private func userInfo(_ object: KeyedArchive.Record) -> [AnyHashable: Any] {
        archive.value(of: "NSUserInfo", in: object) as? [AnyHashable: Any] ?? [:]
    }

    private func connectHierarchy(_ archived: [(key: String, value: KeyedArchive.Record)]) {
        var hierarchy = EntityHierarchy()
        for (name, object) in archived {
            guard let parentObject = archive.object("NSSuperentity", of: object),
                let parentName = archive.text("NSEntityName", of: parentObject),
                let parent = entities[parentName], let child = entities[name]
            else { continue }
            _ = hierarchy.add(child, below: parent)
        }
        hierarchy.connect()
    }

    private func members(_ object: KeyedArchive.Record) -> [NSEntityDescription] {
        archive.members(of: object).compactMap { member in
            archive.text("NSEntityName", of: member).flatMap { entities[$0] }
        }
    }

    private mutating func readProperties(
        _ object: KeyedArchive.Record, of entity: NSEntityDescription
    ) {
        let inherited = Set((entity.superentity?.properties ?? []).map(\.name))
        entity.properties = archive.entries("NSProperties", of: object).compactMap {
            name, property in
            inherited.contains(name) ? nil : self.property(name, property)
        }
    }

    private mutating func property(_ name: String, _ object: KeyedArchive.Record)
        -> NSPropertyDescription?
    {
        let property: NSPropertyDescription
        switch object.className {
        case "NSAttributeDescription": property = attribute(object, NSAttributeDescription())
        case "NSDerivedAttributeDescription":
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = archive.object("NSDerivationExpression", of: object)
                .flatMap { ArchivedPredicate(archive).expression($0) }
            property = attribute(object, derived)
        case "NSCompositeAttributeDescription": property = composite(object)
        case "NSRelationshipDescription": property = relationship(object)
        case "NSFetchedPropertyDescription":
            let fetched = NSFetchedPropertyDescription()
            fetched.fetchRequest = archive.object("NSFetchRequest", of: object).map { request($0) }
            property = fetched
        default:
            issues.append(
                ModelIssue(.warning, "'\(name)' is of the unknown class \(object.className).", file)
            )
            return nil
        }
        readCommon(object, name, into: property)
        return property
    }

    private mutating func readCommon(
        _ object: KeyedArchive.Record, _ name: String, into property: NSPropertyDescription
    ) {
        property.name = archive.text("NSPropertyName", of: object) ?? name
        property.isOptional = archive.flag("NSIsOptional", of: object)
        property.isTransient =
            archive.flag("NSIsTransient", of: object) || property is NSFetchedPropertyDescription
        property.isIndexed = archive.flag("NSIsIndexed", of: object)
        property.versionHashModifier = archive.text("NSVersionHashModifier", of: object)
        let identifier = archive.text("NSRenamingIdentifier", of: object)
        property.explicitRenamingIdentifier = identifier == property.name ? nil : identifier
        property.userInfo = userInfo(object)
        let predicates = archive.members("NSValidationPredicates", of: object)
            .map { ArchivedPredicate(archive).predicate($0) }
        let warnings = archive.memberValues("NSValidationWarnings", of: object)
        guard !predicates.isEmpty else { return }
        let known = predicates.compactMap { $0 }
        if known.count == predicates.count, known.count == warnings.count {
            property.setValidation(known, warnings: warnings, limits: nil)
        } else {
            issues.append(
                ModelIssue(.warning, "the validation of '\(property.name)' cannot be read.", file))
        }
    }

    private func attribute(
        _ object: KeyedArchive.Record, _ attribute: NSAttributeDescription
    ) -> NSAttributeDescription {
        let number = archive.integer("NSAttributeType", of: object) ?? 0
        attribute.attributeType =
            UInt(exactly: number).flatMap { .init(rawValue: $0) } ?? .undefinedAttributeType
        let className = archive.text("NSAttributeValueClassName", of: object)
        attribute.explicitValueClassName =
            className == attribute.attributeType.valueClassName ? nil : className
        attribute.defaultValue = archive.value(of: "NSDefaultValue", in: object)
        let flags = archive.integer("NSFlagsKey", of: object) ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & Self.storesExternallyFlag != 0
        attribute.preservesValueInHistoryOnDeletion = flags & Self.preservesValueFlag != 0
        attribute.valueTransformerName = archive.text("NSValueTransformerName", of: object)
        return attribute
    }

    private mutating func composite(_ object: KeyedArchive.Record) -> NSAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        composite.elements = archive.members("NSElements", of: object).compactMap { element in
            property(archive.text("NSPropertyName", of: element) ?? "", element)
                as? NSAttributeDescription
        }
        return composite
    }

    private func relationship(_ object: KeyedArchive.Record) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        let destination = archive.object("NSDestinationEntity", of: object)
            .flatMap { archive.text("NSEntityName", of: $0) }
        relationship.destinationEntity =
            (archive.text("_NSDestinationEntityName", of: object) ?? destination).flatMap {
                entities[$0]
            }
        let rule = archive.integer("NSDeleteRule", of: object) ?? 1
        relationship.deleteRule =
            UInt(exactly: rule).flatMap { .init(rawValue: $0) } ?? .nullifyDeleteRule
        relationship.minCount = archive.integer("NSMinCount", of: object) ?? 0
        relationship.maxCount = archive.integer("NSMaxCount", of: object) ?? 0
        relationship.isOrdered = archive.flag("NSIsOrdered", of: object)
        return relationship
    }

    private func connectInverses(_ object: KeyedArchive.Record, of name: String) {
        for (propertyName, property) in archive.entries("NSProperties", of: object) {
            guard let inverseName = archive.text("_NSInverseRelationshipName", of: property),
                let relationship = entities[name]?.ownRelationship(propertyName),
                let inverse = relationship.destinationEntity?.relationship(inverseName)
            else { continue }
            relationship.inverseRelationship = inverse
        }
    }

    private func readIndexes(_ object: KeyedArchive.Record, of name: String) {
        guard let entity = entities[name] else { return }
        entity.indexes = archive.members("NSFetchIndexDescriptions", of: object).map {
            index($0, of: entity)
        }
        // Xcode writes every index of several properties as a compound index too.
        let indexed = Set(entity.indexes.map { $0.elements.compactMap(\.propertyName) })
        entity.compoundIndexes = groups("NSCompoundIndexes", object).filter {
            !indexed.contains($0)
        }
    }

    private func index(_ object: KeyedArchive.Record, of entity: NSEntityDescription)
        -> NSFetchIndexDescription
    {
        let elements = archive.members("NSIndexElements", of: object).compactMap { element in
            archive.text("NSPropertyName", of: element).flatMap { entity.property(atPath: $0) }.map { property in
                let type = archive.integer("NSFetchIndexElementType", of: element) ?? 0
                let description = NSFetchIndexElementDescription(
                    property: property, collationType: type == 1 ? .rTree : .binary)
                description.isAscending = archive.flag("NSAscending", of: element)
                return description
            }
        }
        let index = NSFetchIndexDescription(
            name: archive.text("NSIndexName", of: object) ?? "", elements: elements)
        index.partialIndexPredicate = archive.object("NSPartialIndexPredicate", of: object)
            .flatMap { ArchivedPredicate(archive).predicate($0) }
        return index
    }

    /// The flags of a request are bits of an unknown order, so Core Data's defaults are used.
    private mutating func request(_ object: KeyedArchive.Record) -> NSFetchRequest<any NSFetchRequestResult> {
        let name =
            archive.text("_NSFetchRequestEntityName", of: object)
            ?? archive.object("NSEntity", of: object).flatMap {
                archive.text("NSEntityName", of: $0)
            }
        let request =
            name.map { NSFetchRequest<any NSFetchRequestResult>(entityName: $0) }
            ?? NSFetchRequest()
        if let name, let entity = entities[name] { request.entity = entity }
        if let stored = archive.object("NSPredicate", of: object) {
            request.predicate = ArchivedPredicate(archive).predicate(stored)
            if request.predicate == nil {
                issues.append(
                    ModelIssue(
                        .warning,
                        "the predicate of a fetch request of \(name ?? "no entity") cannot be read: it finds nothing.",
                        file))
                request.predicate = NSPredicate(value: false)
            }
        }
        request.sortDescriptors = ArchivedPredicate(archive).sortDescriptors(
            "NSSortDescriptors", of: object)
        request.fetchLimit = archive.integer("NSFetchLimit", of: object) ?? 0
        request.fetchOffset = archive.integer("NSFetchOffset", of: object) ?? 0
        request.fetchBatchSize = archive.integer("NSBatchSize", of: object) ?? 0
        request.resultType = .init(rawValue: UInt(exactly: archive.integer("NSResultType", of: object) ?? 0) ?? 0)
        return request
    }
}

extension NSAttributeType {
    /// The class that Core Data names for values of this type, nil where the model must name it.
    package var valueClassName: String? {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        case .undefinedAttributeType, .transformableAttributeType: nil
        }
    }
}
