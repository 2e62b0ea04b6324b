import Foundation

/// Reads the copy of a model in a mapping model's XML: an archive of the objects of Xcode's editor.
///
///     XDPMModel._xd_rootPackage → XDModelPackage → classes by name → XDPMEntity
///         → owned attributes by name → XDPMAttribute, XDPMRelationship, a fetched property
///
/// Entities and properties have stereotypes, which have attributes: `XD_PSK_…` of an entity, `XD_PPSK_…` of every
/// property, `XD_PAttK_…` and `XD_PRK_…` of attributes and relationships. Read is what enters a version hash.
struct EditorModelReader {
    private let archive: KeyedArchive
    private let package: KeyedArchive.Record

    /// Nil for an archive of something else.
    init?(_ archive: KeyedArchive) {
        guard archive.root.className == "XDPMModel",
            let package = archive.object("_xd_rootPackage", of: archive.root)
        else { return nil }
        self.archive = archive
        self.package = package
    }

    /// Nil if it has properties of a kind whose contents are not known here.
    func model() -> NSManagedObjectModel? {
        var entities: [String: NSEntityDescription] = [:]
        var objects: [(NSEntityDescription, KeyedArchive.Record)] = []
        for (name, object) in bucket("Classes", of: package) where entities[name] == nil {
            let entity = NSEntityDescription()
            entity.name = name
            entities[name] = entity
            objects.append((entity, object))
        }
        for (entity, object) in objects where !read(object, into: entity, among: entities) { return nil }
        var hierarchy = EntityHierarchy()
        for (entity, object) in objects {
            let parents = archive.members("XDBucketForGeneralizationsstorage", of: object)
                .compactMap { archive.object("_general", of: $0) }.compactMap { archive.text("_name", of: $0) }
            if let parent = parents.first.flatMap({ entities[$0] }) { _ = hierarchy.add(entity, below: parent) }
        }
        hierarchy.connect()
        connectInverses(objects)
        let model = NSManagedObjectModel()
        model.entities = objects.map(\.0)
        return model
    }

    private func read(
        _ object: KeyedArchive.Record, into entity: NSEntityDescription, among entities: [String: NSEntityDescription]
    ) -> Bool {
        let values = stereotypes(of: object)
        entity.isAbstract = flag("XD_PSK_isAbstract", values)
        entity.versionHashModifier = text("XD_PSK_versionHashModifier", values)
        entity.explicitRenamingIdentifier = text("XD_PSK_elementID", values)
        let constraints = values["XDPMUniquenessConstraints"].map { archive.memberValues("_default", of: $0) } ?? []
        entity.uniquenessConstraints = constraints.compactMap { ($0 as? [Any])?.compactMap { $0 as? String } }
        var properties: [NSPropertyDescription] = []
        for (name, object) in bucket("OwnedAttributes", of: object) {
            if object.className.hasPrefix("XDPMFetched") { continue }
            guard let property = property(object, among: entities) else { return false }
            property.name = name
            properties.append(property)
        }
        entity.properties = properties
        return true
    }

    private func property(
        _ object: KeyedArchive.Record, among entities: [String: NSEntityDescription]
    ) -> NSPropertyDescription? {
        let values = stereotypes(of: object)
        let property: NSPropertyDescription
        switch object.className {
        case "XDPMAttribute":
            let attribute = NSAttributeDescription()
            let number = integer("XD_PAttK_attributeType", values)
            attribute.attributeType = UInt(exactly: number).flatMap { .init(rawValue: $0) } ?? .undefinedAttributeType
            // The elements of a composite are nowhere in the archives that were seen.
            if attribute.attributeType == .compositeAttributeType { return nil }
            property = attribute
        case "XDPMRelationship":
            let relationship = NSRelationshipDescription()
            relationship.minCount = integer("XD_PRK_minCount", values)
            relationship.maxCount = integer("XD_PRK_maxCount", values)
            relationship.isOrdered = flag("XD_PRK_ordered", values)
            let destination = values["XD_PRK_destination"].flatMap { archive.object("_default", of: $0) }
            relationship.destinationEntity =
                destination.flatMap { archive.text("_name", of: $0) }.flatMap { entities[$0] }
            property = relationship
        default: return nil
        }
        property.isOptional = flag("XD_PPSK_isOptional", values)
        property.isTransient = flag("XD_PPSK_isTransient", values)
        property.versionHashModifier = text("XD_PPSK_versionHashModifier", values)
        property.explicitRenamingIdentifier = text("XD_PPSK_elementID", values)
        return property
    }

    private func connectInverses(_ objects: [(NSEntityDescription, KeyedArchive.Record)]) {
        for (entity, object) in objects {
            for (name, object) in bucket("OwnedAttributes", of: object) {
                guard let relationship = entity.ownRelationship(name) else { continue }
                let inverse = stereotypes(of: object)["XD_PRK_inverseRelationship"]
                    .flatMap { archive.object("_default", of: $0) }.flatMap { archive.text("_name", of: $0) }
                relationship.inverseRelationship =
                    inverse.flatMap { relationship.destinationEntity?.relationship($0) }
            }
        }
    }

    /// The elements that an element has of one kind, by their names.
    private func bucket(_ kind: String, of object: KeyedArchive.Record) -> [(key: String, value: KeyedArchive.Record)] {
        archive.entries("XDBucketFor\(kind)storage", of: object)
    }

    /// The attributes of all stereotypes of an element, whose `_default` has the value.
    private func stereotypes(of object: KeyedArchive.Record) -> [String: KeyedArchive.Record] {
        let all = bucket("Stereotypes", of: object).flatMap { bucket("OwnedAttributes", of: $0.value) }
        return Dictionary(all.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private func text(_ key: String, _ values: [String: KeyedArchive.Record]) -> String? {
        values[key].flatMap { archive.text("_default", of: $0) }
    }

    private func flag(_ key: String, _ values: [String: KeyedArchive.Record]) -> Bool {
        values[key].map { archive.flag("_default", of: $0) } ?? false
    }

    private func integer(_ key: String, _ values: [String: KeyedArchive.Record]) -> Int {
        values[key].flatMap { archive.integer("_default", of: $0) } ?? 0
    }
}
