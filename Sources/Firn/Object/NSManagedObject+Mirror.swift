import Foundation

/// What `dump` and a failed expectation show of an object: who it is. The object's own fields lead through the whole
/// graph, and to the context, which belongs to another queue.
extension NSManagedObject: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["objectID": identity.uriRepresentation().absoluteString])
    }
}
