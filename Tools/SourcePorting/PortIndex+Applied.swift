extension PortIndex {
    /// The name of the file that sources call into after `firn port apply`.
    package static let appliedFile = "PortedSupport.swift"

    /// The declarations that the sources call, as a file of their folder; nil for none.
    package func appliedText(before: String?) -> String? {
        var index = self
        let written = before.map { Declared($0) }
        index.classNames.merge(written?.classNames ?? [:]) { name, _ in name }
        for (type, keys) in written?.keys ?? [:] { index.keys[type, default: InOrder()].wrappedValue.formUnion(keys) }
        let isEmpty = support.subtracting([.keyPath]).isEmpty && index.classNames.isEmpty && index.keys.isEmpty
        guard !isEmpty else { return nil }
        return "#if !canImport(ObjectiveC)\n// What the sources of this folder need on Linux.\n"
            + PortSupport.appliedText(support) + index.classNameText + index.keyText + "#endif\n"
    }

    /// The names of classes and keys in a file that was written before: their attributes are under a condition by now.
    private struct Declared {
        var classNames: [String: String] = [:]
        var keys: [String: [String]] = [:]

        init(_ text: String) {
            let source = SourceText(path: "", text: text)
            for type in Outline(source).types {
                let body = type.open..<type.close
                if let name = type.name.without(suffix: "_ClassName"), type.parent == "GeneratedClassName" {
                    guard let brace = body.last(where: { source.isSign("{", at: $0) }) else { continue }
                    let words = (brace + 1..<type.close).map { source.text(at: $0) }.prefix { $0 != "self" }
                    classNames[name] = String(words.joined().dropLast())
                } else if let name = type.name.without(suffix: "_PortedKeys"), type.parent == "GeneratedKeyNames" {
                    let ends = body.filter { source.isSign(",", at: $0) && source.isSign(".", at: $0 - 2) }
                    keys[name] = ends.map { source.text(at: $0 - 1) }
                }
            }
        }
    }
}

extension String {
    fileprivate func without(suffix: String) -> String? { hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil }
}
