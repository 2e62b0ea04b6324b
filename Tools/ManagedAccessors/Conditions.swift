/// Drops what `#if` leaves out on Linux, so that only declarations that are compiled are seen.
///
/// Custom flags are taken as not set: the tool does not see a build's own.
struct Conditions {
    private struct Branch {
        var isActive: Bool
        var wasActive: Bool
        var isOuterActive: Bool
    }

    private static let modules: Set<String> = [
        "CoreData", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML",
        "Glibc", "Synchronization",
    ]

    static func activeTokens(_ tokens: [Token]) -> [Token] {
        var branches: [Branch] = []
        var result: [Token] = []
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            index += 1
            let isActive = branches.last?.isActive ?? true
            switch token.kind == .directive ? token.text : "" {
            case "#if":
                let holds = condition(tokens, &index, line: token.line)
                branches.append(
                    Branch(isActive: isActive && holds, wasActive: holds, isOuterActive: isActive))
            case "#elseif":
                let holds = condition(tokens, &index, line: token.line)
                guard var branch = branches.popLast() else { break }
                branch.isActive = branch.isOuterActive && !branch.wasActive && holds
                branch.wasActive = branch.wasActive || holds
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

    private static func condition(_ tokens: [Token], _ index: inout Int, line: Int) -> Bool {
        let start = index
        while index < tokens.count, tokens[index].line == line { index += 1 }
        var parser = ConditionParser(tokens: tokens[start..<index], modules: modules)
        return parser.disjunction()
    }
}

/// `a || b && !(c)` with `os(…)`, `canImport(…)`, `swift(…)`, `compiler(…)` and flags.
private struct ConditionParser {
    var tokens: ArraySlice<Token>
    let modules: Set<String>

    private mutating func consume(_ text: String) -> Bool {
        guard tokens.first?.text == text else { return false }
        tokens.removeFirst()
        return true
    }

    mutating func disjunction() -> Bool {
        var result = conjunction()
        while consume("|") {
            _ = consume("|")
            let right = conjunction()
            result = result || right
        }
        return result
    }

    private mutating func conjunction() -> Bool {
        var result = term()
        while consume("&") {
            _ = consume("&")
            let right = term()
            result = result && right
        }
        return result
    }

    private mutating func term() -> Bool {
        if consume("!") { return !term() }
        if consume("(") {
            let result = disjunction()
            _ = consume(")")
            return result
        }
        guard let name = tokens.popFirst()?.text else { return false }
        guard consume("(") else { return name == "true" }
        var argument: [String] = []
        while let token = tokens.popFirst(), token.text != ")" { argument.append(token.text) }
        switch name {
        case "os": return argument.first == "Linux"
        case "canImport": return modules.contains(argument.first ?? "")
        case "swift", "compiler": return argument.first == ">"
        default: return false
        }
    }
}
