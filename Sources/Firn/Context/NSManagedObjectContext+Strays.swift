import FirnRuntime
import FirnStore
import FirnModel
import Foundation

/// Objects that were related to something that is deleted, or in no context.
extension NSManagedObjectContext {
    /// Ends relationships to what is deleted, as its delete rules would have had they been set before. A cascade does
    /// not reach this far: what was related to an object that another save had deleted must not be lost with it.
    func resolveDangling() {
        if strays.isEmpty { return }
        for object in strays.map(\.object) where object.context === self && !object.isDeleted {
            object.visitNewDestinations { slot, destination in
                guard destination.isDeleted else { return }
                if object.layout.slots[slot].isToOne {
                    object.setDestination(nil, slot)
                } else {
                    object.removeMember(destination, slot)
                }
            }
        }
    }

    /// The errors of objects that are still related to what is in no context: no store could find it.
    func strayFailures() -> [NSError] {
        var failures: [NSError] = []
        for object in strays.map(\.object) where object.isInserted || object.isUpdated {
            object.visitNewDestinations { slot, destination in
                if destination.context != nil || destination.isDiscarded { return }
                failures.append(object.danglingReference(destination, slot))
            }
        }
        return failures
    }
}

extension NSManagedObject {
    /// Calls `body` with what the object was newly related to, of the relationships that are stored here. To set one to
    /// what it was is no change of it.
    final func visitNewDestinations(_ body: (Int, NSManagedObject) throws -> Void) rethrows {
        if values.isEmpty { return }
        let isNew = state.contains(.inserted)
        for slot in layout.relationshipSlots where isNew || changed.contains(slot) {
            switch values.isEmpty ? .unset : values[slot] {
            case .toOne(let destination) where storedPartner(slot) !== destination: try body(slot, destination)
            case .toMany(let members): for member in members.added { try body(slot, member.object) }
            default: break
            }
        }
    }

    /// https://developer.apple.com/documentation/coredata/nsmanagedobjectvalidationerror
    final func danglingReference(_ destination: NSManagedObject, _ slot: Int) -> NSError {
        CoreDataError.make(
            .managedObjectValidation,
            "\"\(layout.slots[slot].name)\" of \(objectID.uriRepresentation()) leads to "
                + "\(destination.objectID.uriRepresentation()), which is in no context: it was never inserted, or its "
                + "deletion was saved. Insert it, or relate the object to another one",
            [
                NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: layout.slots[slot].name,
                NSValidationValueErrorKey: destination, NSAffectedObjectsErrorKey: [self, destination],
            ])
    }
}
