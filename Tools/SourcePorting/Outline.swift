import SwiftTokens

/// The types and extensions of a file, and the members of extensions that override.
struct Outline {
    struct TypeBody {
        var keyword: String
        /// With the types it is nested in, dots between.
        var name: String
        /// Indexes of tokens: the first attribute or modifier, the keyword, the braces.
        var start: Int
        var keywordIndex: Int
        var open: Int
        var close: Int
        /// The words between the name and the brace.
        var inherited: [String]
        /// The first word behind the colon; nil without one.
        var parent: String?
        /// The place of `private` or `fileprivate` before the keyword.
        var privateIndex: Int?
        var hasManagedMembers = false
        var hasParameters = false

        var isExtension: Bool { keyword == "extension" }
        /// The name without those of the types around it.
        var bareName: String { name.split(separator: ".").last.map(String.init) ?? name }
    }

    struct Override {
        /// The place of the extension in `types`.
        var type: Int
        var tokens: ClosedRange<Int>
    }

    /// A class with managed members inside of a function.
    struct Local {
        var body: TypeBody
        /// The brace of the function's block.
        var scope: Int
        /// The place of the type around the function in `types`.
        var owner: Int?
    }

    private(set) var types: [TypeBody] = []
    private(set) var locals: [Local] = []
    private(set) var overrides: [Override] = []

    init(_ source: SourceText) {
        var scopes: [Int?] = []
        var opens: [Int] = []
        var index = 0
        while index < source.tokens.count {
            let isInType = scopes.last.map { $0 != nil } ?? true
            switch source.tokens[index].keyword {
            case "{":
                scopes.append(nil)
                opens.append(index)
            case "}":
                if let type = scopes.popLast() ?? nil { types[type].close = index }
                _ = opens.popLast()
            case "class" where !isInType:
                guard let scope = opens.last, let body = local(source, index, in: scope) else { break }
                locals.append(Local(body: body, scope: scope, owner: scopes.last { $0 != nil } ?? nil))
                index = body.close
            case "class", "struct", "enum", "actor", "protocol", "extension":
                guard isInType, Self.startsType(source, index) else { break }
                let outer = (scopes.last ?? nil).map { types[$0].name + "." } ?? ""
                let type = Self.type(source, index, outer: outer)
                index = type.open
                scopes.append(types.count)
                opens.append(index)
                types.append(type)
            case "NSManaged" where source.isSign("@", at: index - 1):
                if let type = scopes.last ?? nil { types[type].hasManagedMembers = true }
            case "override" where source.isModifier(at: index):
                guard let type = scopes.last ?? nil, types[type].isExtension else { break }
                let start = source.declarationStart(index)
                overrides.append(Override(type: type, tokens: start...Self.end(source, index)))
            default: break
            }
            index += 1
        }
    }

    /// A class inside of a function that has managed members, or inherits from one that has.
    private func local(_ source: SourceText, _ index: Int, in scope: Int) -> TypeBody? {
        guard Self.startsType(source, index) else { return nil }
        var body = Self.type(source, index, outer: "")
        guard source.isSign("{", at: body.open), !body.hasParameters else { return nil }
        body.close = source.close(of: body.open)
        body.hasManagedMembers = (body.open..<body.close).contains {
            source.isWord("NSManaged", at: $0) && source.isSign("@", at: $0 - 1)
        }
        let inherits = locals.contains { $0.scope == scope && $0.body.name == body.parent }
        return body.hasManagedMembers || inherits ? body : nil
    }

    /// The innermost type around a token.
    func type(around index: Int) -> TypeBody? {
        types.filter { $0.open < index && index < $0.close }.max { $0.open < $1.open }
    }

    /// `class` is also a modifier of members, and a constraint. `actor` is a name too, and all of them may be labels.
    private static func startsType(_ source: SourceText, _ index: Int) -> Bool {
        let members: Set<String> = ["func", "var", "let", "subscript", "init", "case"]
        let next = source.text(at: index + 1)
        return source.isWord(at: index + 1) && !members.contains(next) && !SourceText.isModifier(next)
            && ![".", "(", ","].contains { source.isSign($0, at: index - 1) }
    }

    private static func type(_ source: SourceText, _ keyword: Int, outer: String) -> TypeBody {
        var index = keyword + 1
        var name = source.text(at: index)
        while source.isSign(".", at: index + 1), source.isWord(at: index + 2) {
            name += "." + source.text(at: index + 2)
            index += 2
        }
        let hasParameters = source.isSign("<", at: index + 1)
        let colon = hasParameters ? source.close(of: index + 1) + 1 : index + 1
        let parent = source.isSign(":", at: colon) && source.isWord(at: colon + 1) ? source.text(at: colon + 1) : nil
        var inherited: [String] = []
        while index < source.tokens.count - 1, !source.isSign("{", at: index) {
            index += 1
            if source.isWord(at: index) { inherited.append(source.text(at: index)) }
        }
        let isExtension = source.text(at: keyword) == "extension"
        let start = source.declarationStart(keyword)
        return TypeBody(
            keyword: source.text(at: keyword), name: isExtension ? name : outer + name, start: start,
            keywordIndex: keyword, open: index, close: source.tokens.count - 1, inherited: inherited, parent: parent,
            privateIndex: (start..<keyword).first { ["private", "fileprivate"].contains(source.text(at: $0)) },
            hasParameters: hasParameters)
    }

    /// The brace that ends the body of a member.
    private static func end(_ source: SourceText, _ start: Int) -> Int {
        var index = start
        while index < source.tokens.count {
            if source.isSign("{", at: index) { return source.close(of: index) }
            let isOpening = source.isSign("(", at: index) || source.isSign("[", at: index)
            index = (isOpening ? source.close(of: index) : index) + 1
        }
        return source.tokens.count - 1
    }
}
