import SwiftTokens

/// A source with its types.
package struct OutlinedSource {
    let source: SourceText
    let outline: Outline

    package init(path: String, text: String) {
        source = SourceText(path: path, text: text)
        outline = Outline(source)
    }
}

/// The declarations of a file that the porting of any file may depend on.
struct Declarations: Equatable {
    struct Declared: Equatable {
        var keyword: String
        var name: String
        var bareName: String
        var parent: String?
        var isPrivate: Bool
        var isOnMainActor: Bool
        var hasManagedMembers: Bool
        var hasParameters: Bool
        /// The private types of the file that the type's body names.
        var used: Set<String>

        var isExtension: Bool { keyword == "extension" }
    }

    let path: String
    private(set) var types: [Declared] = []
    /// The properties that are an `NSSet` or an `NSOrderedSet`, with the type.
    private(set) var sets: [String: String] = [:]
    /// The other properties that name a type.
    private(set) var others: Set<String> = []
    private(set) var declaresWait = false
    /// The members that extensions of a framework's class declare for Objective-C, where subclasses may override them.
    private(set) var extensionMembers: Set<String> = []

    init(_ file: OutlinedSource) {
        let source = file.source
        path = source.path
        let hidden = Set(file.outline.types.filter { $0.privateIndex != nil }.map(\.bareName))
        types = file.outline.types.map { type in
            let words = hidden.isEmpty ? [] : Set(source.tokens[type.keywordIndex...type.close].map(\.text))
            return Declared(
                keyword: type.keyword, name: type.name, bareName: type.bareName, parent: type.parent,
                isPrivate: type.privateIndex != nil, isOnMainActor: Porter.isMainActor(type, source),
                hasManagedMembers: type.hasManagedMembers, hasParameters: type.hasParameters,
                used: hidden.intersection(words))
        }
        for type in file.outline.types {
            for place in type.properties(source) where source.isWord("var", at: place) {
                let name = source.text(at: place + 1)
                guard let set = source.setType(ofProperty: place) else { continue }
                if set.isEmpty { others.insert(name) } else { sets[name] = set }
            }
        }
        for type in file.outline.types where type.isExtension && type.name.hasPrefix("NS") {
            let words = (type.start..<type.keywordIndex).map { source.text(at: $0) }
            extensionMembers.formUnion(type.objectiveMembers(source, areListed: words.contains("objc")))
        }
        declaresWait = source.tokens.indices.contains {
            source.isWord("wait", at: $0) && source.isWord("func", at: $0 - 1)
        }
    }
}

/// A file's part of the index, found by porting the file.
struct Contribution: Equatable {
    let path: String
    var moved: [PortIndex.Moved]
    var keys: [String: [String]]
    var checks: [String: [String]]
    var classNames: [String: String]
    var support: Set<PortSupport>
    var optionals: Set<String>
    var resultTypes: Set<String>
    /// The names of types in the copy.
    var declared: Set<String>

    /// - Parameter index: an index that has the declarations of all files, and no contributions.
    init(_ file: OutlinedSource, _ index: PortIndex) {
        let porter = Porter(file, index: index, isIndexing: true)
        path = file.source.path
        moved = porter.moved
        keys = porter.keys
        checks = porter.checks
        classNames = porter.classNames
        support = porter.support
        optionals = porter.optionals
        resultTypes = porter.resultTypes
        declared = Set(file.outline.types.filter { !$0.isExtension }.map { porter.portedName($0.name) })
        if porter.imports.contains("Logging") { declared.insert("Logger") }
    }
}

extension Outline.TypeBody {
    /// The names of the methods and properties in the body itself that Objective-C knows, and that override nothing.
    func objectiveMembers(_ source: SourceText, areListed: Bool) -> [String] {
        var (names, place): ([String], Int) = ([], open + 1)
        while place < close {
            if source.isWord("var", at: place) || source.isWord("func", at: place) {
                let words = (source.declarationStart(place)..<place).map { source.text(at: $0) }
                let isKnown = areListed || words.contains("objc")
                if isKnown, !words.contains("override") { names.append(source.text(at: place + 1)) }
            }
            place = (source.isSign("{", at: place) ? source.close(of: place) : place) + 1
        }
        return names
    }

    /// The places of `var` and `let` in the body itself.
    func properties(_ source: SourceText) -> [Int] {
        var (places, place): ([Int], Int) = ([], open + 1)
        while place < close {
            if source.isWord("var", at: place) || source.isWord("let", at: place) { places.append(place) }
            place = (source.isSign("{", at: place) ? source.close(of: place) : place) + 1
        }
        return places
    }
}

extension SourceText {
    /// `NSSet` or `NSOrderedSet` if the property is one, or else empty. Nil for one without a written type.
    func setType(ofProperty place: Int) -> String? {
        guard isSign(":", at: place + 2) else { return nil }
        return ["NSSet", "NSOrderedSet"].contains(text(at: place + 3)) ? text(at: place + 3) : ""
    }
}
