public import Foundation

extension NSSortDescriptor {
    /// The sort descriptor that orders as one of Foundation's does.
    ///
    /// A descriptor made from a key path keeps the key path and its key, so a store can sort by it. One made from a
    /// comparator calls the comparator.
    ///
    /// https://developer.apple.com/documentation/foundation/nssortdescriptor/init(_:)
    public convenience init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) {
        let isAscending = sortDescriptor.order == .forward
        guard let keyPath = sortDescriptor.keyPath, let key = keyValueCodingKeyPath(for: keyPath)
        else {
            self.init(key: nil, ascending: isAscending) { left, right in
                guard let left = left as? Compared, let right = right as? Compared else {
                    misuse(
                        "A sort descriptor of \(Compared.self) was given \(type(of: left)) and \(type(of: right))."
                    )
                }
                // Its order includes its direction, which is applied once more to what is returned here.
                let order = sortDescriptor.compare(left, right)
                return isAscending ? order : order.opposite
            }
            return
        }
        self.init(key: key, ascending: isAscending, selector: Selector(sortDescriptor.selectorName))
    }
}

extension SortDescriptor {
    /// The selector of the comparison. Texts are compared as a file browser lists names, unless the descriptor was made
    /// with `.lexical`, the one comparator that Foundation has on Linux.
    /// https://developer.apple.com/documentation/foundation/sortdescriptor/init(_:comparator:order:)
    package var selectorName: String {
        let type = keyPath.map { Swift.type(of: $0).valueType }
        let isText = type == String.self || type == String?.self
        return isText && stringComparator == nil ? "localizedStandardCompare:" : "compare:"
    }
}
