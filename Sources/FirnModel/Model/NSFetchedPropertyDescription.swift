package import Foundation

/// A property whose value is what a fetch request finds.
///
/// In the request's predicate `$FETCH_SOURCE` is the object that has the property and `$FETCHED_PROPERTY` this
/// description. https://developer.apple.com/documentation/coredata/nsfetchedpropertydescription
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// The request that fetches the property's value.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        willSet { requireMutable() }
    }

    /// A fetched property stores nothing: it is transient.
    public override init() {
        super.init()
        isTransient = true
    }

    package override func encodeContents(into coder: NSCoder) {
        super.encodeContents(into: coder)
        coder.encode(fetchRequest, forKey: "NSFetchRequest")
    }

    package override func decodeContents(from coder: NSCoder) {
        super.decodeContents(from: coder)
        let request = coder.decodeObject(of: UntypedFetchRequest.self, forKey: "NSFetchRequest")
        fetchRequest = request?.withResultType((any NSFetchRequestResult).self)
    }

    package override func makeEmptyCopy() -> NSPropertyDescription {
        NSFetchedPropertyDescription()
    }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        let request = fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        (copy as? NSFetchedPropertyDescription)?.fetchRequest = request
    }
}
