extension String {
    /// The order of names in layouts, hashes and files: by UTF-8 bytes, the same on every machine.
    package func precedesInUTF8(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension Sequence {
    /// The elements by a name, in the order of its UTF-8 bytes.
    package func sortedByUTF8(_ name: (Element) -> String) -> [Element] {
        sorted { name($0).precedesInUTF8(name($1)) }
    }
}
