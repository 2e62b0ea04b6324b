import SwiftTokens

/// Makes the ported copy of one source file. Lines stay where they are; where one is added, `#sourceLocation` names the
/// user's line again.
package struct Porter {
    struct Edit {
        /// The form that an edit has in the source itself, which Apple's systems compile too.
        enum Applied {
            /// In a part of its own, behind that with the source's own words.
            case guarded
            /// The copy's text, which both compile.
            case same
            /// Another text.
            case text(String)
            /// Nothing, with the space at one side.
            case removed
            /// A line of its own under a condition.
            case attribute
            /// The source's own words.
            case omitted
        }

        var range: Range<Int>
        var text: String
        var applied = Applied.guarded
    }

    let source: SourceText
    let outline: Outline
    let index: PortIndex
    /// Whether the index is being made: it does not have all members yet.
    let isIndexing: Bool
    package internal(set) var findings: [PortFinding] = []
    var edits: [Edit] = []
    var support: Set<PortSupport> = []
    var moved: [PortIndex.Moved] = []
    var classNames: [String: String] = [:]
    /// The `@objc` properties by their class.
    var keys: [String: [String]] = [:]
    /// The keys, with a capital, whose values a method of their name checks, by its class.
    var checks: [String: [String]] = [:]
    /// The imports of the file that Linux has, without attributes.
    var imports: [String] = []
    var lackingImports: Set<String> = []
    /// The modules whose names the file uses, and does not import.
    var missingImports: [String] = []
    /// The names of optional methods of protocols, and the places where they are declared.
    var optionals: Set<String> = []
    var requirements: Set<Int> = []
    /// The generic types, but those of Core Data, that have `NSFetchRequestResult` as an argument.
    var resultTypes: Set<String> = []
    /// The `#selector` tokens of observers and comparisons.
    var portedSelectors: Set<Int> = []

    package init(path: String, text: String, index: PortIndex) {
        self.init(OutlinedSource(path: path, text: text), index: index, isIndexing: false)
    }

    init(_ file: OutlinedSource, index: PortIndex, isIndexing: Bool) {
        source = file.source
        outline = file.outline
        self.index = index
        self.isIndexing = isIndexing
        portImports()
        for place in source.tokens.indices { portToken(at: place) }
        portOptionalCalls()
        portTypes()
        findKeys()
        portDependentKeys()
        portInitializers()
        portMethods()
        portTests()
        portLocals()
        portOverrides()
        if isIndexing { return }
        findMissingImports()
        findings += refusals()
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
        let own = Set(outline.types.filter { !$0.isExtension }.map { portedName($0.name) })
        return index.moved.filter { own.contains($0.type) }
    }

    /// Whether members of other files are compiled in a class of this one.
    package var hasGuests: Bool { !guests.isEmpty }

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

    mutating func replace(_ range: Range<Int>, with text: String, applied: Edit.Applied = .guarded) {
        edits.append(Edit(range: range, text: text, applied: applied))
    }

    mutating func insert(_ text: String, before range: Range<Int>, applied: Edit.Applied = .guarded) {
        replace(range.lowerBound..<range.lowerBound, with: text, applied: applied)
    }

    mutating func insert(_ text: String, after range: Range<Int>, applied: Edit.Applied = .guarded) {
        replace(range.upperBound..<range.upperBound, with: text, applied: applied)
    }

    /// Leaves out tokens; what follows keeps its line and column.
    mutating func blank(_ tokens: ClosedRange<Int>, applied: Edit.Applied = .guarded) {
        let range = source.range(of: tokens)
        let text = source.text(of: range).map { $0.isNewline ? String($0) : " " }.joined()
        replace(range, with: text, applied: applied)
    }

    mutating func report(_ kind: PortFinding.Kind, at index: Int, _ text: String) {
        findings.append(
            PortFinding(kind, file: source.path, line: source.tokens[index].line, text: text))
    }

    private mutating func portShim(_ word: String, at place: Int) {
        guard let shim = PortSupport(word: word, source, place) else { return }
        support.insert(shim)
        if isIndexing || index.support.contains(shim) { report(.declaration, at: place, word) }
    }

    /// A protocol of Objective-C conforms to itself, one of Swift does not: it needs `any` as an argument, and cannot
    /// be an associated type that has to conform to it.
    private mutating func portResultProtocol(at index: Int) {
        if source.isSign("<", at: index - 1), source.isSign(">", at: index + 1) {
            // A constraint such as 'extension A where B == C<NSFetchRequestResult>' takes it too.
            insert("any ", before: source.tokens[index].range, applied: .same)
            report(.resultProtocol, at: index, "<NSFetchRequestResult>")
            if !source.text(at: index - 2).hasPrefix("NS") { resultTypes.insert(source.text(at: index - 2)) }
        } else if source.isSign(":", at: index - 1), source.isSign("<", at: index - 3),
            source.isSign(">", at: index + 1), ["class", "struct", "enum"].contains(source.text(at: index - 5)),
            self.index.resultTypes.contains(source.text(at: index - 4))
        {
            blank(index - 1...index)
            report(.resultProtocol, at: index, "\(source.text(at: index - 4))<…: NSFetchRequestResult>")
        } else if source.isSign(":", at: index - 1), source.isWord("associatedtype", at: index - 3),
            !source.isSign("&", at: index + 1), !source.isSign(",", at: index + 1)
        {
            blank(index - 1...index)
            report(.resultProtocol, at: index, "associatedtype \(source.text(at: index - 2)): NSFetchRequestResult")
        }
    }

    private mutating func portToken(at index: Int) {
        let token = source.tokens[index]
        switch (token.kind, token.text) {
        case (.punctuation, "@"): portAttribute(at: index)
        case (.punctuation, "="): portSetAssignment(at: index)
        case (.word, "dynamic"): portDynamic(at: index)
        case (.directive, "#keyPath"): portKeyPath(at: index)
        case (.directive, "#selector"):
            portObserver(at: index)
            portComparison(at: index)
        case (.word, "optional"): portRequirement(at: index)
        case (.word, "removeObserver"): portRemoval(at: index)
        case (.word, "NSStringFromSelector"): portSelectorName(at: index)
        case (.word, "Bundle"): portBundle(at: index)
        case (.word, "superclass"), (.word, "classForCoder"): portClassMethod(at: index)
        case (.word, "publisher"): portPublisher(at: index)
        case (.word, "on"), (.word, "scheduler"): portScheduler(at: index)
        case (.word, "urls"): portResourceList(at: index)
        case (.word, "replaceItemAt"): portReplacement(at: index)
        case (.word, "bundleIdentifier"): portIdentifier(at: index)
        case (.word, "ProcessInfo"): portProcess(at: index)
        case (.word, "Foundation"): portQualifiedName(at: index)
        case (.word, "ObjectiveC"): portRuntimeName(at: index)
        case (.word, "os"): portLogName(at: index)
        case (.word, "as"): portCast(at: index)
        case (.word, "NSSet"), (.word, "NSOrderedSet"): portSetInitializer(at: index)
        case (.word, "NSFetchRequestResult"): portResultProtocol(at: index)
        case (.word, "wait"), (.word, "waitForExpectations"):
            portWait(at: index)
            portShim(token.text, at: index)
        case (.word, let word): portShim(word, at: index)
        case (.punctuation, "~"):
            if source.isSign("~", at: index + 1), source.isSign(">", at: index + 2) {
                support.insert(source.isSign("~", at: index - 1) ? .objectCast : .requestCast)
            }
        default: break
        }
    }
}
