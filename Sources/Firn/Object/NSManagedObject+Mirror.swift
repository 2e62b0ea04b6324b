import Foundation

/// A mirror with the object's ID alone, for `dump` and failed expectations. The object's own fields lead through the
/// whole graph, and to the context, which belongs to another queue.
extension NSManagedObject: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["objectID": identity.uriRepresentation().absoluteString])
    }
}
