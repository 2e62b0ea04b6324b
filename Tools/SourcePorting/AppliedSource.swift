import SwiftTokens

/// A source with its edits written into it, so that Apple's systems and Linux compile it: what both compile stands
/// once, the rest under `#if canImport(ObjectiveC)`.
package struct AppliedSource {
    private let porter: Porter
    private let source: SourceText
    /// The places that are left to a person.
    package private(set) var left: [PortFinding]
    private var edits: [Porter.Edit] = []
    /// Statements on lines of their own that stand twice, as ranges of bytes.
    private var parts: [Range<Int>] = []

    package init(path: String, text: String, index: PortIndex) {
        porter = Porter(path: path, text: text, index: index)
        source = porter.source
        left = porter.findings.filter { !$0.kind.isPorted }
        let moved = porter.edits.filter { $0.isRemoved && source.lineCount(in: $0.range) > 0 }.map(\.range)
        edits = porter.edits.compactMap(Self.applied).filter { edit in
            !moved.contains {
                $0 != edit.range && $0.lowerBound <= edit.range.lowerBound && edit.range.upperBound <= $0.upperBound
            }
        }
        joinAttributes()
        let statements = Statements(source)
        for edit in edits where edit.isGuarded {
            guard let token = source.tokens.firstIndex(where: { $0.range.upperBound >= edit.range.upperBound }) else {
                continue
            }
            if let part = statements.lines(around: token) {
                parts.append(part)
            } else {
                leave(token)
            }
        }
        parts = Self.merged(parts)
        edits = edits.filter { !$0.isGuarded || isInPart($0.range) }
        for edit in porter.edits where edit.isOmittedOverride { leave(after: edit.range) }
        addImports()
        portAttributes()
    }

    package var text: String {
        var result = ""
        var position = 0
        for part in parts {
            let indent = source.text(of: part).prefix { $0 == " " || $0 == "\t" }
            result += render(position..<part.lowerBound, isGuarded: false)
            result += indent + "#if canImport(ObjectiveC)\n" + render(part, isGuarded: false)
            result += indent + "#else\n" + render(part, isGuarded: true) + indent + "#endif\n"
            position = part.upperBound
        }
        return result + render(position..<source.bytes.count, isGuarded: false)
    }

    private func render(_ range: Range<Int>, isGuarded: Bool) -> String {
        porter.render(range, edits.filter { isGuarded || !$0.isGuarded })
    }

    /// The edit as it is in the source; nil for none.
    private static func applied(_ edit: Porter.Edit) -> Porter.Edit? {
        var edit = edit
        switch edit.applied {
        case .omitted: return nil
        case .text(let text): edit.text = text
        case .removed: edit.text = ""
        case .guarded, .same, .attribute: break
        }
        return edit
    }

    private func isInPart(_ range: Range<Int>) -> Bool {
        parts.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
    }

    private static func merged(_ parts: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, part.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
            } else {
                result.append(part)
            }
        }
        return result
    }

    private mutating func leave(_ token: Int) {
        let line = source.tokens[token].line
        left.append(PortFinding(.unwritten, file: source.path, line: line, text: source.text(at: token)))
    }

    private mutating func leave(after range: Range<Int>) {
        if let token = source.tokens.firstIndex(where: { $0.range.lowerBound >= range.lowerBound }) { leave(token) }
    }

    private mutating func addImports() {
        guard let first = Lexer.tokens(of: source.text(of: 0..<source.bytes.count)).first else { return }
        let text = porter.missingImports.map { module in
            module == "Foundation" || module == "CoreData"
                ? "import \(module)\n" : "#if canImport(\(module))\nimport \(module)\n#endif\n"
        }
        if !text.isEmpty {
            edits.append(
                Porter.Edit(
                    range: first.range.lowerBound..<first.range.lowerBound, text: text.joined(), applied: .same))
        }
    }

    // MARK: Attributes

    /// Attributes with nothing but spaces between them are one edit.
    private mutating func joinAttributes() {
        var (joined, last): ([Porter.Edit], Int?) = ([], nil)
        for edit in edits {
            if case .attribute = edit.applied {
                if let last, joined[last].range.upperBound <= edit.range.lowerBound,
                    isBlank(joined[last].range.upperBound..<edit.range.lowerBound)
                {
                    joined[last].range = joined[last].range.lowerBound..<edit.range.upperBound
                    continue
                }
                last = joined.count
            }
            joined.append(edit)
        }
        edits = joined
    }

    /// Attributes of a declaration move to lines of their own before it. Removed words take their space along.
    private mutating func portAttributes() {
        var moved: [Int: [String]] = [:]
        for index in edits.indices {
            switch edits[index].applied {
            case .removed: edits[index].range = withSpace(edits[index].range)
            case .attribute where !isInPart(edits[index].range):
                let range = edits[index].range
                guard let start = declaration(at: range) else {
                    edits[index].text = source.text(of: range)
                    leave(after: range)
                    continue
                }
                moved[start, default: []].append(source.text(of: range))
                edits[index].range = isAlone(range) ? source.lines(around: range) : withSpace(range)
                edits[index].text = ""
                edits[index].applied = .same
            case .attribute:
                edits[index].range = withSpace(edits[index].range)
                edits[index].text = ""
                edits[index].applied = .guarded
            case .guarded where !edits[index].text.isEmpty && edits[index].text.allSatisfy(\.isWhitespace):
                edits[index].range = withSpace(edits[index].range)
                edits[index].text = ""
            default: break
            }
        }
        for (start, attributes) in moved {
            let line = source.lineStart(start)
            let indent = source.text(of: line..<start)
            let isFirst = indent.allSatisfy { $0 == " " || $0 == "\t" }
            let condition = ["#if canImport(ObjectiveC)", attributes.joined(separator: " "), "#endif"]
            let text = condition.map { (isFirst ? indent : "") + $0 + "\n" }.joined()
            let place = isFirst ? line : start
            edits.append(Porter.Edit(range: place..<place, text: (isFirst ? "" : "\n") + text, applied: .same))
        }
    }

    /// The place of the first byte of the declaration that an attribute belongs to. Nil for an accessor.
    private func declaration(at range: Range<Int>) -> Int? {
        guard var token = source.tokens.firstIndex(where: { $0.range.lowerBound >= range.upperBound }) else {
            return nil
        }
        while token < source.tokens.count,
            SourceText.isModifier(source.text(at: token)) || source.isSign("@", at: token)
        {
            if source.isSign("@", at: token) { token += 1 }
            token = source.isSign("(", at: token + 1) ? source.close(of: token + 1) + 1 : token + 1
        }
        if ["get", "set", "_read", "_modify"].contains(source.text(at: token)) { return nil }
        // 'class' is a modifier too.
        let keyword =
            source.isWord("class", at: token - 1) && !Self.memberKeywords.contains(source.text(at: token))
            ? token - 1 : token
        return source.tokens[source.declarationStart(keyword)].range.lowerBound
    }

    private static let memberKeywords: Set<String> = ["func", "var", "let", "subscript", "init"]

    private func isBlank(_ range: Range<Int>) -> Bool { source.text(of: range).allSatisfy { $0 == " " || $0 == "\t" } }

    /// Whether nothing else stands on the lines of a range.
    private func isAlone(_ range: Range<Int>) -> Bool {
        let lines = source.lines(around: range)
        return isBlank(lines.lowerBound..<range.lowerBound)
            && source.text(of: range.upperBound..<lines.upperBound).allSatisfy(\.isWhitespace)
    }

    private func withSpace(_ range: Range<Int>) -> Range<Int> {
        if isAlone(range) {
            let lines = source.lines(around: range)
            let next = lines.upperBound..<source.lineEnd(lines.upperBound)
            // A member takes the empty line behind it along.
            return source.lineCount(in: range) > 0
                && isBlank(next.lowerBound..<max(next.lowerBound, next.upperBound - 1))
                ? lines.lowerBound..<next.upperBound : lines
        }
        let space = UInt8(ascii: " ")
        let end = source.bytes[range.upperBound...].firstIndex { $0 != space } ?? source.bytes.count
        if end > range.upperBound { return range.lowerBound..<end }
        let start = source.bytes[..<range.lowerBound].lastIndex { $0 != space }.map { $0 + 1 } ?? 0
        return start..<range.upperBound
    }
}

extension Porter.Edit {
    fileprivate var isGuarded: Bool { if case .guarded = applied { true } else { false } }
    fileprivate var isRemoved: Bool { if case .removed = applied { true } else { false } }
    /// Whether a member that overrides stays where it is.
    fileprivate var isOmittedOverride: Bool {
        if case .omitted = applied { range.count > text.utf8.count && text.allSatisfy(\.isNewline) } else { false }
    }
}
