import SwiftTokens

/// Makes the ported copy of one source file. Lines stay where they are; where one is added, `#sourceLocation` names the
/// user's line again.
package struct Porter {
    struct Edit {
        var range: Range<Int>
        var text: String
    }

    let source: SourceText
    let outline: Outline
    /// Nil while the index is made.
    let index: PortIndex?
    package internal(set) var findings: [PortFinding] = []
    var edits: [Edit] = []
    var support: Set<PortSupport> = []
    var moved: [PortIndex.Moved] = []
    var classNames: [String: String] = [:]
    var privateClasses: [String] = []
    /// The imports of the file that Linux has, without attributes.
    var imports: [String] = []
    var lackingImports: Set<String> = []
    /// The names of optional methods of protocols, and the places where they are declared.
    var optionals: Set<String> = []
    var requirements: Set<Int> = []
    /// The `#selector` tokens of observers.
    var observers: Set<Int> = []

    package init(path: String, text: String, index: PortIndex?) {
        source = SourceText(path: path, text: text)
        outline = Outline(source)
        self.index = index
        portImports()
        for place in source.tokens.indices { portToken(at: place) }
        portOptionalCalls()
        portTypes()
        portOverrides()
        findRefusals()
        findings.sort { ($0.line, $0.text) < ($1.line, $1.text) }
    }

    /// The copy's text.
    package var text: String {
        var head = missingImports.map { "import \($0)\n" }.joined()
        for import_ in guestImports { head += "import \(import_)\n" }
        return head + location(line: 1) + "\n" + render(0..<source.bytes.count, edits)
    }

    /// The imports that members moved here need.
    private var guestImports: [String] {
        let guests = guests.flatMap(\.imports)
        return Set(guests).subtracting(imports).subtracting(missingImports).sorted()
    }

    /// The members of other files' extensions that are compiled in a class of this file.
    var guests: [PortIndex.Moved] {
        let own = Set(outline.types.filter { !$0.isExtension }.map(\.name))
        return index?.moved.filter { own.contains($0.type) } ?? []
    }

    func location(line: Int, file: String? = nil) -> String {
        let path = (file ?? source.path).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "#sourceLocation(file: \"\(path)\", line: \(line))"
    }

    /// The text of a range with its edits; an edit inside of another is dropped.
    func render(_ range: Range<Int>, _ edits: [Edit]) -> String {
        let inside = edits.filter { range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= range.upperBound }
        let sorted = inside.enumerated().sorted { first, second in
            let (one, other) = (first.element.range, second.element.range)
            if one.lowerBound != other.lowerBound { return one.lowerBound < other.lowerBound }
            // An insertion comes before a replacement that begins at its place.
            if one.isEmpty != other.isEmpty { return one.isEmpty }
            if one.upperBound != other.upperBound { return one.upperBound > other.upperBound }
            return first.offset < second.offset
        }
        var result = ""
        var position = range.lowerBound
        for edit in sorted.map(\.element) where edit.range.lowerBound >= position {
            result += source.text(of: position..<edit.range.lowerBound) + edit.text
            position = edit.range.upperBound
        }
        return result + source.text(of: position..<range.upperBound)
    }

    mutating func replace(_ range: Range<Int>, with text: String) { edits.append(Edit(range: range, text: text)) }

    mutating func insert(_ text: String, before range: Range<Int>) {
        replace(range.lowerBound..<range.lowerBound, with: text)
    }

    mutating func insert(_ text: String, after range: Range<Int>) {
        replace(range.upperBound..<range.upperBound, with: text)
    }

    /// Leaves out tokens; what follows keeps its line and column.
    mutating func blank(_ tokens: ClosedRange<Int>) {
        let range = source.range(of: tokens)
        let text = source.text(of: range).map { $0.isNewline ? String($0) : " " }.joined()
        replace(range, with: text)
    }

    mutating func report(_ kind: PortFinding.Kind, at index: Int, _ text: String) {
        findings.append(
            PortFinding(kind, file: source.path, line: source.tokens[index].line, text: text))
    }

    private mutating func portToken(at index: Int) {
        let token = source.tokens[index]
        switch (token.kind, token.text) {
        case (.punctuation, "@"): portAttribute(at: index)
        case (.word, "dynamic"): portDynamic(at: index)
        case (.directive, "#keyPath"): portKeyPath(at: index)
        case (.directive, "#selector"): portObserver(at: index)
        case (.word, "optional"): portRequirement(at: index)
        case (.word, "removeObserver"): portRemoval(at: index)
        case (.word, "NSStringFromSelector"): portSelectorName(at: index)
        case (.word, "Bundle"): portBundle(at: index)
        case (.word, "as"): portCast(at: index)
        case (.word, "NSSet"), (.word, "NSOrderedSet"): portSetInitializer(at: index)
        case (.word, "NSFetchRequestResult"):
            guard source.isSign("<", at: index - 1), source.isSign(">", at: index + 1) else { break }
            // A constraint such as 'extension A where B == C<NSFetchRequestResult>' takes it too.
            insert("any ", before: token.range)
            report(.resultProtocol, at: index, "<NSFetchRequestResult>")
        case (.word, let word): if let support = PortSupport(word: word, source, index) { self.support.insert(support) }
        default: break
        }
    }
}
