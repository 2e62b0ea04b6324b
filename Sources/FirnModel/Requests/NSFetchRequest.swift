public import Foundation

/// A request for objects of an entity.
///
/// The type parameter carries no constraint here, because on Linux a protocol type does not conform to its protocol
/// and `NSFetchRequest<any NSFetchRequestResult>` would not compile. What executes requests has the constraint.
/// https://developer.apple.com/documentation/coredata/nsfetchrequest
open class NSFetchRequest<ResultType>: UntypedFetchRequest {
    public override init() { super.init() }

    /// A request for the entity of that name in the model of the context that executes it.
    public convenience init(entityName: String) {
        self.init(named: entityName)
    }

    private init(named entityName: String) { super.init(requestedEntityName: entityName) }

    open override func copy(with zone: NSZone? = nil) -> Any { withResultType(ResultType.self) }

    /// A copy of the request whose results are of another Swift type.
    ///
    /// Where Apple's code casts, as in `request as! NSFetchRequest<NSFetchRequestResult>`, this is what works here.
    public final func withResultType<Result>(_ type: Result.Type) -> NSFetchRequest<Result> {
        let copy = NSFetchRequest<Result>()
        copyContents(to: copy)
        return copy
    }
}
