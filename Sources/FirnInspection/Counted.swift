/// Numbers of things in words.
package enum Counted {
    /// `1 record`, `2 records`
    ///
    /// - Parameter plural: that of a noun which gets more than an s.
    package static func text(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) " + (count == 1 ? noun : plural ?? noun + "s")
    }
}
