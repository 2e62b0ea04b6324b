import FirnLog

extension PropertyValue {
    /// Whether the stored forms are the same. As Swift's strings, é in one scalar and é in two would be equal.
    func isExactly(_ other: PropertyValue) -> Bool {
        if case .text(let text) = self, case .text(let others) = other { return text.utf8.elementsEqual(others.utf8) }
        return self == other
    }
}
