package import FirnLog

/// Values as the tables compare them under a uniqueness constraint: texts by their bytes. As Swift's strings, é in one
/// scalar and é in two would be equal.
package struct BytewiseValues: Hashable {
    package let values: [PropertyValue]

    package init(values: [PropertyValue]) { self.values = values }

    package static func == (lhs: BytewiseValues, rhs: BytewiseValues) -> Bool {
        lhs.values.elementsEqual(rhs.values) { $0.isExactly($1) }
    }
}

extension PropertyValue {
    /// Whether the stored forms are the same.
    func isExactly(_ other: PropertyValue) -> Bool {
        if case .text(let text) = self, case .text(let others) = other { return text.utf8.elementsEqual(others.utf8) }
        return self == other
    }
}
