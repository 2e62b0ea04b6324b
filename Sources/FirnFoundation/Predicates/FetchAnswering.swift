/// What executes the fetch requests of expressions: a managed object context.
package protocol FetchAnswering: AnyObject {
    /// The request's result: an array, or a number if `countsOnly`.
    ///
    /// - Parameter asIdentities: whether object IDs may be returned for objects.
    func answer(fetch request: Any?, countsOnly: Bool, asIdentities: Bool) throws -> Any
}
