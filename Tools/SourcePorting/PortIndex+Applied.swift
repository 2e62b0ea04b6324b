extension PortIndex {
    /// The name of the file that sources call into after `firn port apply`.
    package static let appliedFile = "PortedSupport.swift"

    /// The declarations that the sources call, as a file of their folder; nil for none.
    package func appliedText(before: String?) -> String? {
        var index = self
        index.classNames.merge(Self.classNames(of: before ?? "")) { name, _ in name }
        let isEmpty = support.subtracting([.keyPath]).isEmpty && index.classNames.isEmpty
        guard !isEmpty else { return nil }
        return "#if !canImport(ObjectiveC)\n// What the sources of this folder need on Linux.\n"
            + PortSupport.appliedText(support) + index.classNameText + "#endif\n"
    }

    /// The names of classes in a file that was written before: their attributes are under a condition by now.
    private static func classNames(of text: String) -> [String: String] {
        let source = SourceText(path: "", text: text)
        var names: [String: String] = [:]
        let suffix = "_ClassName"
        for type in Outline(source).types where type.parent == "GeneratedClassName" && type.name.hasSuffix(suffix) {
            let body = (type.open..<type.close)
            guard let brace = body.last(where: { source.isSign("{", at: $0) }) else { continue }
            let words = (brace + 1..<type.close).map { source.text(at: $0) }.prefix { $0 != "self" }
            names[String(type.name.dropLast(suffix.count))] = String(words.joined().dropLast())
        }
        return names
    }
}
