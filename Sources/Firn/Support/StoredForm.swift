import FirnLog
import FirnModel
import Foundation

/// Between values in the types of Apple's API, as the rules of a model and stores of the application's own have them,
/// and stored ones.
enum StoredForm {
    /// The value of an attribute, or of a leaf of a composite one, which stands in the composite's dictionary.
    static func attribute(
        _ info: Slot, _ value: (NSPropertyDescription) -> Any?, _ entity: NSEntityDescription
    ) -> Any? {
        let found: Any?
        if info.isCompositeLeaf {
            let parts = info.name.split(separator: ".", maxSplits: 1).map(String.init)
            let composite = entity.propertiesByName[parts[0]].flatMap(value) as? [String: Any]
            found = composite?[parts[1]]
        } else {
            found = value(info.property)
        }
        return found is NSNull ? nil : found
    }

    /// A stored value in the types of Apple's API. References are the caller's.
    static func any(_ value: PropertyValue, _ info: Slot) -> Any? {
        switch value {
        case .null, .reference: return nil
        case .integer(let number):
            return info.attributeType == .booleanAttributeType ? NSNumber(value: number != 0) : NSNumber(value: number)
        case .real(let number):
            return info.attributeType == .dateAttributeType
                ? Date(timeIntervalSinceReferenceDate: number) : NSNumber(value: number)
        case .text(let text): return api(AttributeCoding.slotValue(text: text, info))
        case .blob(let bytes): return api(bytes.withUnsafeBytes { AttributeCoding.slotValue(bytes: $0, info) })
        }
    }

    private static func api(_ value: SlotValue) -> Any? {
        switch value {
        case .text(let text): text
        case .blob(let data): data
        case .boxed(let box): box.value
        default: nil
        }
    }
}
