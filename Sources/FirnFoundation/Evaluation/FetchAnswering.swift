/// What executes the fetch requests of expressions: a managed object context.
package protocol FetchAnswering: AnyObject {
    /// What the request finds: an array, or a number if only the count is asked for.
    ///
    /// - Parameter asIdentities: whether object IDs will do for objects.
    func answer(fetch request: Any?, countsOnly: Bool, asIdentities: Bool) throws -> Any
}
