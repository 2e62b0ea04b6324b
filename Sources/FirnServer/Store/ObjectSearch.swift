#if Server
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import Foundation

import class FirnFoundation.NSPredicate

/// The objects of a state that have a text, a number or an identifier in one of their values.
///
/// Complexity: reads the tables of every entity with attributes that could have it.
struct ObjectSearch: Sendable {
    /// An object, and the value that has the text.
    struct Hit: Sendable {
        let object: String
        let title: String?
        let property: String
        let value: ValueText
    }

    /// The hits of one entity, without those below it.
    struct Group: Sendable {
        let entity: String
        let hits: [Hit]
        /// Whether there are more than these.
        let hasMore: Bool
    }

    private static let hitsMax = 20

    /// By the entity's name, those with hits.
    let groups: [Group]

    init(_ text: String, _ state: StateReader.State, _ names: ModelNames, _ monitor: FetchMonitor) throws {
        groups = try state.schema.logModel.entities.sorted { $0.name < $1.name }.compactMap { entity in
            guard let described = state.schema.entities.first(where: { $0.name == entity.name }), !described.isAbstract,
                let condition = Self.condition(text, entity)
            else { return nil }
            let request = NSFetchRequest<any NSFetchRequestResult>()
            request.entity = described
            request.includesSubentities = false
            request.predicate = condition
            request.fetchLimit = Self.hitsMax + 1
            let rows = try state.reader.rows(FetchPlan(request, schema: state.schema), monitor)
            let hits = (0..<min(rows.count, Self.hitsMax)).compactMap { index in
                Self.hit(text, rows[index].batch, rows[index].row, entity, names)
            }
            return hits.isEmpty ? nil : Group(entity: entity.name, hits: hits, hasMore: rows.count > Self.hitsMax)
        }
    }

    /// Nil for an entity none of whose attributes could have the text.
    private static func condition(_ text: String, _ entity: LogEntity) -> NSPredicate? {
        var parts: [String] = []
        var arguments: [Any] = []
        for property in entity.properties {
            guard case .attribute(let kind) = property.kind, !property.name.contains(".") else { continue }
            switch kind {
            case .string:
                parts.append("%K CONTAINS[cd] %@")
                arguments += [property.name, text]
            case .integer16, .integer32, .integer64:
                guard let number = Int64(text) else { continue }
                parts.append("%K == %@")
                arguments += [property.name, NSNumber(value: number)]
            case .uuid:
                guard let identifier = UUID(uuidString: text) else { continue }
                parts.append("%K == %@")
                arguments += [property.name, identifier]
            default: continue
            }
        }
        return parts.isEmpty ? nil : NSPredicate(format: parts.joined(separator: " OR "), argumentArray: arguments)
    }

    private static func hit(
        _ text: String, _ batch: RowBatch, _ row: Int, _ entity: LogEntity, _ names: ModelNames
    ) -> Hit? {
        let values = entity.properties.indices.lazy.compactMap { slot -> (name: String, value: ValueText)? in
            guard case .attribute = entity.properties[slot].kind, slot < batch.columns.count else { return nil }
            let property = entity.properties[slot]
            return (
                property.name,
                ValueText(value: batch.value(at: row, slot: slot), property: property, names: names)
            )
        }
        let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]
        guard let found = values.first(where: { $0.value.text?.range(of: text, options: options) != nil })
        else { return nil }
        let title = names.title(of: entity.number) { slot in
            Int(slot) < batch.columns.count ? batch.value(at: row, slot: Int(slot)) : nil
        }
        return Hit(object: names.object(batch.key(at: row)), title: title, property: found.name, value: found.value)
    }
}
#endif
