/// Drops what `#if` leaves out on Linux, so that only declarations that are compiled are seen.
///
/// Custom flags are taken as not set, since the tool does not see a build's own, or as unknown.
package struct Conditions {
    private struct Branch {
        var isActive: Bool
        var wasActive: Bool
        var isOuterActive: Bool
    }

    /// Modules that Linux has, as far as sources of the package graph are not asked.
    private static let modules: Set<String> = [
        "CoreData", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML",
        "Glibc", "Synchronization",
    ]

    /// - Parameter lacking: the modules that Linux lacks, where tokens under a custom flag, or under `canImport` of
    ///   another module, may be compiled or not: both branches are kept then.
    package static func activeTokens(_ tokens: [Token], lacking: Set<String>? = nil) -> [Token] {
        var branches: [Branch] = []
        var result: [Token] = []
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            index += 1
            let isActive = branches.last?.isActive ?? true
            switch token.kind == .directive ? token.text : "" {
            case "#if":
                let holds = condition(tokens, &index, token.line, lacking)
                branches.append(
                    Branch(isActive: isActive && holds != false, wasActive: holds == true, isOuterActive: isActive))
            case "#elseif":
                let holds = condition(tokens, &index, token.line, lacking)
                guard var branch = branches.popLast() else { break }
                branch.isActive = branch.isOuterActive && !branch.wasActive && holds != false
                branch.wasActive = branch.wasActive || holds == true
                branches.append(branch)
            case "#else":
                guard var branch = branches.popLast() else { break }
                branch.isActive = branch.isOuterActive && !branch.wasActive
                branches.append(branch)
            case "#endif": _ = branches.popLast()
            default: if isActive { result.append(token) }
            }
        }
        return result
    }

    private struct Chain {
        let start: Token
        var branches: [[Token]] = [[]]
        /// Whether Linux may compile one of the branches.
        var mayHold: Bool
    }

    /// The `#if` of each chain that has branches for other systems, and none for Linux, though the code around it
    /// needs one: all branches return a value at the end of a block, or declare the same name.
    package static func chainsForOthers(_ tokens: [Token], lacking: Set<String>) -> [Token] {
        var chains: [Chain] = []
        var found: [Token] = []
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            index += 1
            switch token.kind == .directive ? token.text : "" {
            case "#if":
                let holds = condition(tokens, &index, token.line, lacking)
                chains.append(Chain(start: token, mayHold: holds != false))
            case "#elseif", "#else":
                let holds = token.text == "#else" ? true : condition(tokens, &index, token.line, lacking)
                guard var chain = chains.popLast() else { break }
                chain.branches.append([])
                chain.mayHold = chain.mayHold || holds != false
                chains.append(chain)
            case "#endif":
                guard let chain = chains.popLast(), !chain.mayHold, chain.branches.count > 1 else { break }
                let endsBlock = index < tokens.count && tokens[index].text == "}"
                let names = Set(chain.branches.map(firstName))
                let returns = chain.branches.allSatisfy { $0.contains { $0.keyword == "return" } }
                if endsBlock && returns || names.count == 1 && names != [nil] { found.append(chain.start) }
            default:
                guard var chain = chains.popLast(), var branch = chain.branches.popLast() else { break }
                branch.append(token)
                chain.branches.append(branch)
                chains.append(chain)
            }
        }
        return found
    }

    /// The name that the first declaration of a branch declares.
    private static func firstName(_ tokens: [Token]) -> String? {
        let keywords = ["typealias", "var", "let", "func", "class", "struct", "enum"]
        let place = tokens.firstIndex { keywords.contains($0.keyword) || ["{", "(", "="].contains($0.text) }
        guard let place, keywords.contains(tokens[place].keyword), place + 1 < tokens.count else { return nil }
        return tokens[place + 1].text
    }

    private static func condition(
        _ tokens: [Token], _ index: inout Int, _ line: Int, _ lacking: Set<String>?
    ) -> Bool? {
        let start = index
        while index < tokens.count, tokens[index].line == line { index += 1 }
        var parser = ConditionParser(tokens: tokens[start..<index], modules: modules, lacking: lacking)
        return parser.disjunction()
    }
}

/// `a || b && !(c)` with `os(…)`, `canImport(…)`, `swift(…)`, `compiler(…)` and flags; nil for unknown.
private struct ConditionParser {
    var tokens: ArraySlice<Token>
    let modules: Set<String>
    let lacking: Set<String>?

    private mutating func consume(_ text: String) -> Bool {
        guard tokens.first?.text == text else { return false }
        tokens.removeFirst()
        return true
    }

    mutating func disjunction() -> Bool? {
        var result = conjunction()
        while consume("|") {
            _ = consume("|")
            let right = conjunction()
            result = result == true || right == true ? true : result == false ? right : result
        }
        return result
    }

    private mutating func conjunction() -> Bool? {
        var result = term()
        while consume("&") {
            _ = consume("&")
            let right = term()
            result = result == false || right == false ? false : result == true ? right : result
        }
        return result
    }

    private mutating func term() -> Bool? {
        if consume("!") { return term().map { !$0 } }
        if consume("(") {
            let result = disjunction()
            _ = consume(")")
            return result
        }
        guard let name = tokens.popFirst()?.text else { return false }
        guard consume("(") else { return name == "true" ? true : name == "false" || lacking == nil ? false : nil }
        var argument: [String] = []
        while let token = tokens.popFirst(), token.text != ")" { argument.append(token.text) }
        switch name {
        case "os": return argument.first == "Linux"
        case "canImport":
            let module = argument.first ?? ""
            if modules.contains(module) { return true }
            return lacking.map { $0.contains(module) } ?? true ? false : nil
        case "swift", "compiler": return argument.first == ">"
        case "targetEnvironment", "_runtime": return false
        default: return lacking == nil ? false : nil
        }
    }
}
