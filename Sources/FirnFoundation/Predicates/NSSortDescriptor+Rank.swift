extension NSSortDescriptor {
    /// Sorts by how well the texts of a key fit the words of a `TOKENMATCHES`: those come first that have the words
    /// next to each other, then those of whose words more are looked for. If `ascending` is true, the worst come first.
    public convenience init(
        key: String, ascending: Bool = false, rankOf tokens: String,
        options: NSComparisonPredicate.Options = [.caseInsensitive, .diacriticInsensitive]
    ) {
        let search = TokenSearch(tokens, ComparisonOptions(rawValue: options.rawValue))
        self.init(SortRule(key: key, ascending: ascending, rankOf: search))
    }
}
