internal import FirnLog
internal import FirnModel

/// Describes a model's entities in the log's terms, and what the tables need beyond that.
struct LogModelDescriber {
    let catalog: EntityCatalog

    private func number(_ entity: NSEntityDescription) -> EntityNumber { catalog.number(of: entity) }

    func entity(_ entity: NSEntityDescription, _ number: EntityNumber) -> LogEntity {
        LogEntity(
            number: number, name: entity.name ?? "",
            parent: entity.superentity.map { self.number($0) },
            properties: entity.layout.slots.map { LogProperty(name: $0.name, kind: kind(of: $0)) })
    }

    private func kind(of slot: Slot) -> LogProperty.Kind {
        if slot.isTransient { return .transient }
        switch slot.kind {
        case .attribute(let type): return type.storedKind.map { .attribute($0) } ?? .transient
        case .toOne(let toOne): return .toOne(destination: number(toOne.destination))
        case .toMany(let toMany):
            return .toMany(
                destination: number(toMany.destination),
                inverse: toMany.toOneInverseSlot.map { UInt16($0) }, isOrdered: toMany.isOrdered,
                isCanonical: toMany.isCanonical)
        case .position(let toOne): return .position(toOne: UInt16(toOne))
        case .composite, .fetched: return .transient
        }
    }

    func details(_ entities: [NSEntityDescription]) -> LayoutDetails {
        var details = LayoutDetails()
        for entity in entities {
            for case let relationship as NSRelationshipDescription in entity.ownProperties {
                guard relationship.isToMany, let inverse = relationship.inverseRelationship,
                    inverse.isToMany, let slot = entity.layout.slot(named: relationship.name),
                    let inverseSlot = inverse.entity.layout.slot(named: inverse.name)
                else { continue }
                details.inverses[PropertyPlace(entity: number(entity), slot: slot)] = PropertyPlace(
                    entity: number(inverse.entity), slot: inverseSlot)
            }
            details.indexes += indexes(of: entity)
        }
        return details
    }

    /// Fetch indexes of properties, the older compound indexes and flags, and indexes for uniqueness constraints.
    private func indexes(of entity: NSEntityDescription) -> [LayoutDetails.Index] {
        var indexes: [LayoutDetails.Index] = []
        func add(_ name: String, _ names: [String], _ change: (inout LayoutDetails.Index) -> Void = { _ in }) {
            let slots = names.compactMap { entity.layout.slot(named: $0) }
            guard slots.count == names.count, !slots.isEmpty else { return }
            var index = LayoutDetails.Index(
                name: name, entity: number(entity), slots: slots, descending: slots.map { _ in false })
            index.keepsTextOrder = true
            change(&index)
            indexes.append(index)
        }
        for index in entity.indexes where !index.needsCompiling {
            add(index.name, index.elements.map { $0.propertyName ?? "" }) {
                $0.descending = index.elements.map { !$0.isAscending }
                $0.isRange = index.elements.contains { $0.collationType == .rTree }
            }
        }
        for names in entity.compoundIndexNames { add(names.joined(separator: "_"), names) }
        for property in entity.ownProperties where property.isIndexed {
            add(property.name, [property.name])
        }
        for names in entity.uniquenessConstraintNames {
            add("unique_" + names.joined(separator: "_"), names) { $0.keepsTextOrder = false }
        }
        let searchable = entity.ownProperties.filter(\.isSearchable)
        add("words", searchable.map(\.name)) { $0.isOfWords = true }
        return indexes
    }
}

extension NSPropertyDescription {
    /// Whether the model wants a text to be found by its words: it is indexed by Spotlight, or its user info has an
    /// entry `searchable` that is `YES`, `true` or `1`.
    fileprivate var isSearchable: Bool {
        let isText = (self as? NSAttributeDescription)?.attributeType == .stringAttributeType
        guard isText, !isTransient else { return false }
        guard !isIndexedBySpotlight, let value = userInfo?["searchable"] else { return isIndexedBySpotlight }
        return value as? Bool ?? ["yes", "true", "1"].contains("\(value)".lowercased())
    }
}
