/// Calls that are not made here, and why.
struct BannedCall: Sendable {
    let name: String
    let reason: String
    /// Whether the rule holds for the file at this path.
    let applies: @Sendable (String) -> Bool
    /// Whether a line of code (comments and strings blanked) breaks the rule.
    let matches: @Sendable (Substring) -> Bool

    static let all: [BannedCall] = [
        BannedCall(
            name: "try!", reason: "handle or throw the error",
            applies: { isOwnCode($0) },
            matches: { $0.contains("try!") }),
        BannedCall(
            name: "fatalError()", reason: "say what the caller must do",
            applies: { _ in true },
            matches: {
                $0.contains(/(?:^|\W)(?:fatalError|preconditionFailure|assertionFailure)\(\s*\)/)
            }),
        BannedCall(
            name: "precondition", reason: "a release build stops without its message: use fatalError with words",
            applies: { $0.hasPrefix("Sources/") },
            matches: { $0.contains(/(?:^|\W)(?:precondition|preconditionFailure|assert|assertionFailure)\(/) }),
        BannedCall(
            name: "closure in a mutex",
            reason: "each withLock wraps it in another layer of stack: make it a field of a structure",
            applies: { isOwnCode($0) },
            matches: { $0.contains(/Mutex<\(.*->/) }),
        BannedCall(
            name: "@testable", reason: "use package access",
            // Packages of their own, which package access does not reach.
            applies: { !$0.hasPrefix("Tests/SwiftDataTests/") && !$0.hasPrefix("Examples/LinuxTests/") },
            matches: { $0.contains("@testable") }),
        BannedCall(
            name: "sleep", reason: "wait for the event, not for time",
            applies: { $0.hasPrefix("Tests/") },
            matches: { $0.contains(/(?:^|\W)(?:u|nano)?sleep\(/) }),
        BannedCall(
            name: "print", reason: "a library returns what it has to say",
            applies: { $0.hasPrefix("Sources/") },
            matches: {
                $0.contains(/(?:^|[^.\w])(?:debugPrint|print|NSLog)\(/)
                    && !$0.contains("func ")
            }),
    ]

    static func findings(in file: SourceTree.File) -> [String] {
        let calls = all.filter { $0.applies(file.path) }
        let code = SwiftText.code(of: file.text)
        guard code[...].mayBreakARule else { return [] }
        return code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .flatMap { index, line in
                // Most lines are settled by one look for the first letters of the names.
                guard line.mayBreakARule else { return [String]() }
                return calls.filter { $0.matches(line) }
                    .map { "\(file.path):\(index + 1): \($0.name): \($0.reason)" }
            }
    }

    private static func isOwnCode(_ path: String) -> Bool { !path.hasPrefix("Tests/") }
}

extension Substring {
    fileprivate var mayBreakARule: Bool {
        contains("try!") || contains("rror(") || contains("assert(") || contains("precondition(")
            || contains("ailure(") || contains("@testable") || contains("sleep(") || contains("rint(")
            || contains("NSLog(") || contains("Mutex<(")
    }
}
