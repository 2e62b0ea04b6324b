import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Where a store of Apple's keeps the objects of one entity.
struct AppleEntityPlace {
    let entity: NSEntityDescription
    /// The number in the new store.
    let number: EntityNumber
    /// The number in `Z_ENT`.
    let appleNumber: Int64
    let root: EntityNumber
    let table: String
    /// By slot; nil for what has no column.
    let columns: [AppleColumn?]
}

/// The column of one slot.
struct AppleColumn {
    let name: String
    /// Of a to-one relationship whose destination has subentities: the column with the number of the object's entity.
    var entityColumn: String?
}

/// Where a store of Apple's keeps what, worked out from the model and compared with the tables:
///
///     ZROOT                  one table for a hierarchy; Z_PK, Z_ENT, Z_OPT
///       ZNAME                an attribute, the leaf of a composite, or a to-one relationship
///       ZNAME1               another property of that name, of an entity that comes later in the order of numbers
///       Z3_NAME              the number of the entity of a to-one's object, if the destination (3) has subentities
///       Z_FOK_NAME           the place in the ordered to-many whose inverse is the to-one `name`
///     Z_3MEMBERS             pairs of a many-to-many relationship `members` of entity 3: see `AppleLinkPlace`
///
/// Apple does not document this; it was read from stores that Apple's tools wrote.
struct AppleLayout {
    let schema: StoreSchema
    let numbers: AppleEntityNumbers
    /// Concrete entities, ascending by number.
    private(set) var places: [AppleEntityPlace] = []
    private(set) var links: [AppleLinkPlace] = []
    private(set) var notes: [String] = []
    private var byNumber: [EntityNumber: Int] = [:]
    private var byAppleNumber: [Int64: Int] = [:]

    /// Throws `wrongModel` if a property of the model has no place in the store.
    init(_ schema: StoreSchema, _ file: AppleStoreFile) throws {
        self.schema = schema
        numbers = try AppleEntityNumbers(schema.model, file)
        let names = try columnNames()
        var missing: [String] = []
        for entity in schema.entities {
            guard let appleNumber = numbers.number(of: entity) else { continue }
            let place = try place(of: entity, appleNumber, names, file, &missing)
            byNumber[place.number] = places.count
            byAppleNumber[appleNumber] = places.count
            places.append(place)
        }
        for place in places { try findLinks(of: place, file, &missing) }
        guard missing.isEmpty else {
            let shown = missing.prefix(5).joined(separator: ", ") + (missing.count > 5 ? ", …" : "")
            throw AppleStoreError(
                .wrongModel, "the model does not fit the store: there is no place for \(shown); give the model that it "
                    + "was written with", path: file.url.path)
        }
    }

    func place(_ number: EntityNumber) -> AppleEntityPlace? { byNumber[number].map { places[$0] } }

    func place(appleNumber: Int64) -> AppleEntityPlace? { byAppleNumber[appleNumber].map { places[$0] } }

    /// The names of the columns that entities declare, by entity and slot.
    private func columnNames() throws -> [String: [Int: String]] {
        var names: [String: [Int: String]] = [:]
        var taken: [String: Set<String>] = [:]
        for entity in AppleEntityNumbers.inOrder(schema.model) {
            let layout = entity.layout
            let inherited = entity.superentity?.layout.slots.count ?? 0
            var own = entity.superentity.flatMap { names[$0.name ?? ""] } ?? [:]
            let declared = layout.slots[inherited...].filter(\.isColumn)
            for slot in declared.sorted(by: { $0.appleName < $1.appleName }) {
                let base = "Z" + slot.appleName
                var name = base
                var count = 0
                while !taken[layout.rootEntity.name ?? "", default: []].insert(name).inserted {
                    count += 1
                    name = base + "\(count)"
                }
                own[slot.index] = name
            }
            names[layout.name] = own
        }
        return names
    }

    private func place(
        of entity: NSEntityDescription, _ appleNumber: Int64, _ names: [String: [Int: String]],
        _ file: AppleStoreFile, _ missing: inout [String]
    ) throws -> AppleEntityPlace {
        let layout = entity.layout
        let table = Self.table(layout.rootEntity)
        let present = try file.columns(of: table)
        let own = names[layout.name] ?? [:]
        let columns = layout.slots.map { slot -> AppleColumn? in
            guard slot.isStored else { return nil }
            if case .position(let toOne) = slot.kind {
                let name = "Z_FOK_" + (own[toOne] ?? "").dropFirst()
                return present.contains(name) ? AppleColumn(name: name) : nil
            }
            guard let name = own[slot.index], present.contains(name) else {
                missing.append("\(layout.name).\(slot.name)")
                return nil
            }
            let suffix = "_" + name.dropFirst()
            return AppleColumn(
                name: name, entityColumn: slot.isToOne ? present.sorted().first { $0.isNumbered("Z", suffix) } : nil)
        }
        return AppleEntityPlace(
            entity: entity, number: schema.number(of: entity), appleNumber: appleNumber,
            root: schema.number(of: layout.rootEntity), table: table, columns: columns)
    }

    static func table(_ root: NSEntityDescription) -> String { "Z" + (root.name ?? "").uppercased() }

    private mutating func findLinks(
        of place: AppleEntityPlace, _ file: AppleStoreFile, _ missing: inout [String]
    ) throws {
        let inherited = place.entity.superentity?.layout.slots.count ?? 0
        for slot in place.entity.layout.slots[inherited...] {
            guard case .toMany(let toMany) = slot.kind, toMany.isCanonical, !slot.isTransient,
                let relationship = slot.property as? NSRelationshipDescription
            else { continue }
            if let link = try AppleLinkPlace(place, slot, relationship, numbers, file) {
                links.append(link)
            } else if relationship.inverseRelationship == nil {
                notes.append(
                    "\(place.entity.name ?? "").\(slot.name) has no inverse, and where its members are was not found; "
                        + "they are left out")
            } else {
                missing.append("\(place.entity.name ?? "").\(slot.name)")
            }
        }
    }
}

extension Slot {
    /// Whether Core Data keeps it in a column that bears its name.
    fileprivate var isColumn: Bool {
        if case .position = kind { return false }
        return isStored
    }

    /// The name as columns have it. Of a composite's leaf only the leaf counts.
    var appleName: String { (name.split(separator: ".").last.map(String.init) ?? name).uppercased() }
}

extension String {
    /// Whether it is `prefix`, digits, `suffix`.
    func isNumbered(_ prefix: String, _ suffix: String) -> Bool {
        guard hasPrefix(prefix), hasSuffix(suffix), count > prefix.count + suffix.count else { return false }
        return dropFirst(prefix.count).dropLast(suffix.count).allSatisfy { ("0"..."9").contains($0) }
    }

    /// Whether it is `name` and digits: Core Data counts columns that would have one name.
    func isCounted(_ name: String) -> Bool {
        hasPrefix(name) && count > name.count && dropFirst(name.count).allSatisfy { ("0"..."9").contains($0) }
    }

    /// Whether it is `prefix`, digits, `name`, digits.
    func isNumberedAndCounted(_ prefix: String, _ name: String) -> Bool {
        guard hasPrefix(prefix) else { return false }
        let rest = dropFirst(prefix.count).drop { ("0"..."9").contains($0) }
        return rest.startIndex > index(startIndex, offsetBy: prefix.count) && String(rest).isCounted(name)
    }
}
