import SwiftTokens

extension Porter {
    /// Optional methods of Core Data's own delegates, which have default implementations here.
    static let knownOptionals: Set<String> = [
        "controller", "controllerDidChangeContent", "controllerWillChangeContent",
    ]

    /// `@objc optional func changed()` becomes a requirement, and an extension behind the protocol implements it.
    mutating func portRequirement(at index: Int) {
        guard let type = outline.type(around: index), type.keyword == "protocol", !type.name.contains(".") else {
            return
        }
        var keyword = index + 1
        while keyword < type.close, SourceText.isModifier(source.text(at: keyword)) { keyword += 1 }
        guard source.isWord("func", at: keyword), source.isSign("(", at: keyword + 2) else { return }
        let end = source.close(of: keyword + 2)
        guard source.text(at: end + 1) != "->", !source.isWord("throws", at: end + 1),
            !source.isWord("async", at: end + 1)
        else { return }
        optionals.insert(source.text(at: keyword + 1))
        requirements.insert(index)
        blank(index...index)
        let isPublic = (type.start..<type.keywordIndex).contains { source.isWord("public", at: $0) }
        let range = source.range(of: keyword...end)
        let nested = edits.filter { range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= range.upperBound }
        let method = render(range, nested).split(whereSeparator: \.isNewline).joined(separator: " ")
        let extended = "extension \(type.name) { \(isPublic ? "public " : "")\(method) {} }"
        insert(
            "; " + extended, after: source.tokens[type.close].range,
            applied: .text("\n\n#if !canImport(ObjectiveC)\n\(extended)\n#endif"))
        report(.optionalMethod, at: index, "@objc optional func \(source.text(at: keyword + 1))")
    }

    /// `delegate?.changed?()` calls it.
    mutating func portOptionalCalls() {
        let names = Self.knownOptionals.union(index.optionals)
        for place in source.tokens.indices
        where source.isSign("?", at: place) && source.isSign("(", at: place + 1) && source.isSign(".", at: place - 2)
            && names.contains(source.text(at: place - 1))
        {
            blank(place...place)
        }
    }
}
