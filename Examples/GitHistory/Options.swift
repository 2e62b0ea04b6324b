import Foundation

/// What the command line asks for.
struct Options {
    static let usage = """
        usage: GitHistory [--store FILE.sqlite] [--firn PROGRAM] [--acknowledge] [--points N] [REPOSITORY]
          REPOSITORY       a git repository; the current folder unless given
          --store          where the history is kept; continues where an earlier import stopped
          --firn           the command line tool; the one next to this program unless given
          --acknowledge    print one line for each commit whose save has returned
          --points         how many points of the past to compare with git; 50 unless given
        status: 0 all is well; 1 a check found a difference; 2 the import could not be done
        """

    var repository = "."
    var store = "GitHistory.sqlite"
    var tool: String?
    var acknowledges = false
    var points = 50

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var positional: [String] = []
        while let argument = rest.popFirst() {
            switch argument {
            case "--store": store = try Self.value(of: argument, in: &rest)
            case "--firn": tool = try Self.value(of: argument, in: &rest)
            case "--acknowledge": acknowledges = true
            case "--points":
                guard let count = Int(try Self.value(of: argument, in: &rest)), count > 1 else {
                    throw DemoError("--points needs a number of at least 2\n\(Self.usage)")
                }
                points = count
            case let option where option.hasPrefix("-") && option != "-":
                throw DemoError("unknown option \(option)\n\(Self.usage)")
            default: positional.append(argument)
            }
        }
        guard positional.count <= 1 else {
            throw DemoError("one repository at most\n\(Self.usage)")
        }
        if let path = positional.first { repository = path }
    }

    private static func value(of option: String, in rest: inout ArraySlice<String>) throws -> String
    {
        guard let value = rest.popFirst() else {
            throw DemoError("\(option) needs a value\n\(usage)")
        }
        return value
    }
}

/// What stops the demo, as one line for a person, and the status to end with.
package struct DemoError: Error {
    package var message: String
    package var status: Int32

    package init(_ message: String, status: Int32 = 2) {
        self.message = message
        self.status = status
    }

    /// The repository does not go on where the store ends.
    static func rewritten(_ last: Data, _ store: String) -> DemoError {
        DemoError(
            "the repository's history does not contain \(Hex.text(last)), the newest commit in "
                + "\(store): it was rewritten, or is another one; import it into a new store")
    }
}
