/// Whether a collection or a range of Swift's contains a value. `isEqual` compares a member with the value.
///
/// - Throws: `ExpressionError` for a value that is neither a collection nor a range.
func containsMember(_ collection: Any?, _ value: Any?, where isEqual: (Any) -> Bool) throws -> Bool {
    if let members = collectionMembers(of: collection) { return members.contains(where: isEqual) }
    guard let range = collection as? any ValueRange else {
        throw ExpressionError("\(LiteralText.describe(collection)) is neither a collection nor a string")
    }
    return range.includes(value)
}
