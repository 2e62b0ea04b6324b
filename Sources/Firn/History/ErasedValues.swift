import FirnFoundation
import FirnModel
import FirnStore
import Foundation

extension NSEntityDescription {
    /// The slots that hold values of a property: its own, those of a composite's leaves, of a position in an ordered
    /// relationship, and of what is derived from it.
    func slotsToErase(of name: String) throws -> [UInt16] {
        let all = layout.slots
        let isMany = (propertiesByName[name] as? NSRelationshipDescription)?.isToMany
        guard propertiesByName[name] != nil, isMany != true else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "\(self.name ?? "the entity") has no attribute or to-one relationship \(name) to erase")
        }
        return all.indices.filter { index in
            let slot = all[index].name
            if slot == name || slot == "Z_ORD_" + name || slot.hasPrefix(name + ".") { return true }
            guard let derived = all[index].property as? NSDerivedAttributeDescription else { return false }
            let paths = (derived.derivationExpression?.description ?? "")
                .split { !($0.isLetter || $0.isNumber || "_.@".contains($0)) }
            return paths.contains { $0.split(separator: ".").first == Substring(name) }
        }.map(UInt16.init)
    }
}

extension NSAttributeType {
    /// The value of an erased attribute that must not be nil and has no default.
    var emptyValue: Any? {
        switch self {
        case .stringAttributeType: ""
        case .binaryDataAttributeType: Data()
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 0)
        case .UUIDAttributeType: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case .URIAttributeType: URL(string: "about:blank")
        case .decimalAttributeType: NSDecimalNumber.zero
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            NSNumber(value: 0)
        default: nil
        }
    }
}
