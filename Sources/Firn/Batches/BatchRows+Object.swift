import FirnLog
import FirnModel
import FirnStore
import Foundation

extension BatchRows {
    /// A row from an object that is in no context. What was set without being tracked counts where there is no default.
    mutating func append(_ object: NSManagedObject) throws {
        for slot in layout.relationshipSlots where object.changed.contains(slot) {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the object of a batch insert cannot have \"\(layout.slots[slot].name)\": give object IDs for to-one "
                    + "relationships in dictionaries or rows",
                [NSValidationKeyErrorKey: layout.slots[slot].name])
        }
        for column in columns.indices where info(column).attributeType != nil {
            let slot = layout.storedSlots[column]
            let isSet = !object.values.isUnset(slot)
            guard object.changed.contains(slot) || isSet && isNullByDefault(column) else { continue }
            columns[column].append(try AttributeCoding.stored(object.read(slot), info(column)))
        }
        endRow()
    }
}
