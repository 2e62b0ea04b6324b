import SwiftTokens

extension Porter {
    /// Swift overrides in extensions only what Objective-C knows: the members are compiled in the class.
    mutating func portOverrides() {
        for override in outline.overrides {
            let type = outline.types[override.type]
            let start = override.tokens.lowerBound
            let range = source.range(of: override.tokens)
            let words = source.text(of: range).prefix { !$0.isNewline && $0 != "{" }
            let text = "extension \(type.name): " + words
            if let index, !index.homes.contains(type.name) {
                report(.overrideElsewhere, at: start, text)
                continue
            }
            report(.override, at: start, text)
            moved.append(
                PortIndex.Moved(
                    type: type.name, file: source.path, line: source.tokens[start].line,
                    text: access(override.tokens, type) + render(range, edits), imports: imports))
            replace(range, with: String(repeating: "\n", count: source.lineCount(in: range)))
        }
        for guest in guests {
            guard let type = outline.types.first(where: { !$0.isExtension && $0.name == guest.type }) else { continue }
            let brace = source.tokens[type.close]
            insert(
                "\n\(location(line: guest.line, file: guest.file))\n\(guest.text)\n\(location(line: brace.line))\n",
                before: brace.range)
        }
        reportMissingImports()
    }

    /// The access that a member has from its extension.
    private func access(_ member: ClosedRange<Int>, _ type: Outline.TypeBody) -> String {
        let words = ["public", "open", "package", "internal", "fileprivate", "private"]
        let own = member.prefix { !["func", "var", "init", "subscript"].contains(source.text(at: $0)) }
        if own.contains(where: { words.contains(source.text(at: $0)) }) { return "" }
        let outer = (type.start..<type.keywordIndex).map { source.text(at: $0) }.first { words.contains($0) }
        return outer.map { $0 + " " } ?? ""
    }
}
