/// The limits on a value as a model file writes them: text, so that the file can be written again as it was.
package struct ValidationLimits: Hashable, Sendable {
    /// `minValueString`, or `minDateTimeInterval` for a date. Of a string it limits the length.
    package var minimum: String?
    /// `maxValueString`, or `maxDateTimeInterval` for a date. Of a string it limits the length.
    package var maximum: String?
    /// `regularExpressionString`.
    package var pattern: String?

    package init(minimum: String? = nil, maximum: String? = nil, pattern: String? = nil) {
        self.minimum = minimum
        self.maximum = maximum
        self.pattern = pattern
    }

    package var isEmpty: Bool { minimum == nil && maximum == nil && pattern == nil }
}
