/// The type of an expression that executes a fetch request. Apple's enumeration has the number, and no name for it.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetch

/// The result of a fetch request in a context, as an expression: `FETCH(request, context, countOnly)`.
///
///     author IN FETCH(%@, %@, NO)        the objects, IDs or dictionaries that the request finds
///     FETCH($request, $context, YES) > 3 how many they are
///
/// Evaluation executes the request for each object. A fetch executes it once, before it asks the store, and replaces
/// dictionaries with one property by that property's values. The request's offset is ignored, as in SQL's subqueries.
/// Sendable as all expressions are: it has no state of its own.
///
/// https://developer.apple.com/documentation/coredata/nsfetchrequestexpression
open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
    /// An expression of two others: the value of one is a fetch request, that of the other a managed object context.
    open class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(node: .fetch(request: fetch, context: context, countsOnly: countFlag))
    }

    /// The expression that gives the request.
    open var requestExpression: NSExpression { parts.request }

    /// The expression that gives the context which executes it.
    open var contextExpression: NSExpression { parts.context }

    /// Whether the value is a number of objects.
    open var isCountOnlyRequest: Bool { parts.countsOnly }

    private var parts: (request: NSExpression, context: NSExpression, countsOnly: Bool) {
        guard case .fetch(let request, let context, let countsOnly) = node else {
            misuse("make an NSFetchRequestExpression with expression(forFetch:context:countOnly:)")
        }
        return (request, context, countsOnly)
    }
}

/// An object that executes the fetch requests of expressions: a managed object context.
package protocol FetchAnswering: AnyObject {
    /// The request's result: an array, or a number if `countsOnly`.
    ///
    /// - Parameter asIdentities: whether object IDs may be returned for objects.
    func answer(fetch request: Any?, countsOnly: Bool, asIdentities: Bool) throws -> Any
}
