/// An object that answers calls from expressions: `FUNCTION(object, "name:", …)`.
package protocol ExpressionAnswering: AnyObject {
    func value(ofMethod name: String, arguments: [Any?]) throws -> Any?
}
