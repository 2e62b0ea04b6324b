import FirnModel
import Foundation

/// The entities of the model, by their numbers in `Z_PRIMARYKEY`.
///
/// Core Data numbers entities from 1, hierarchy by hierarchy, each by its names in order. A migration in place may
/// leave the old name of a renamed entity in the table (measured), so that a name which is not in the model stands for
/// the entity that was called so, or that has this place in the order.
struct AppleEntityNumbers {
    private var numbers: [String: Int64] = [:]
    private var names: [Int64: String] = [:]

    /// Throws `wrongModel` for an entity of the store that is none of the model's.
    init(_ model: NSManagedObjectModel, _ file: AppleStoreFile) throws {
        let ordered = Self.inOrder(model)
        let byName = model.entitiesByName
        var unknown: [AppleStoreFile.Entity] = []
        for stored in file.entities {
            if byName[stored.name] == nil { unknown.append(stored) } else { add(stored.name, stored.number) }
        }
        for stored in unknown {
            let place = stored.number > 0 ? Int(stored.number) - 1 : -1
            let renamed = ordered.first { $0.renamingIdentifier == stored.name && numbers[$0.name ?? ""] == nil }
            let placed = ordered.indices.contains(place) ? ordered[place] : nil
            guard let name = (renamed ?? placed)?.name, numbers[name] == nil else {
                throw AppleStoreError(
                    .wrongModel, "the store has the entity \(stored.name), which the model does not have; give the "
                        + "model that it was written with", path: file.url.path)
            }
            add(name, stored.number)
        }
    }

    private mutating func add(_ name: String, _ number: Int64) {
        numbers[name] = number
        names[number] = name
    }

    func number(of entity: NSEntityDescription) -> Int64? { numbers[entity.name ?? ""] }

    func name(_ number: Int64) -> String? { names[number] }

    /// All entities as Core Data numbers them: by name, each followed by those that inherit from it.
    static func inOrder(_ model: NSManagedObjectModel) -> [NSEntityDescription] {
        func branch(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
            entities.sorted { ($0.name ?? "") < ($1.name ?? "") }.flatMap { [$0] + branch($0.subentities) }
        }
        return branch(model.entities.filter { $0.superentity == nil })
    }
}
