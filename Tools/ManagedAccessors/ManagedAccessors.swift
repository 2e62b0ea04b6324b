import AccessorGeneration
import BuildFiles
import Foundation

/// The tool behind the plugin: reads a target's Swift files, gives `@NSManaged` members their bodies in the library of
/// accessors next to it, and writes a Swift file that has the linker look there, with what only Swift can do.
///
///     ManagedAccessors OUTPUT MODULE FILE… [--imported MODULE FILE…]…
///
/// Status: 0; 1 with a line like the compiler's for what it cannot do.
@main
enum ManagedAccessors {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch let error as SourceError {
            let (file, line) = place(of: error)
            print("\(file):\(line): error: \(error.message)")
            exit(1)
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    /// The place of an error, in the file that `#sourceLocation` names where the source is a ported copy.
    private static func place(of error: SourceError) -> (file: String, line: Int) {
        let text = (try? String(contentsOf: URL(fileURLWithPath: error.file), encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(max(error.line - 1, 0))
        let mark = "#sourceLocation(file: \""
        guard let index = lines.lastIndex(where: { $0.hasPrefix(mark) }) else { return (error.file, error.line) }
        let parts = lines[index].dropFirst(mark.count).split(separator: "\", line: ", maxSplits: 1)
        guard parts.count == 2, let first = Int(parts[1].prefix(while: \.isNumber)) else {
            return (error.file, error.line)
        }
        return (String(parts[0]), first + error.line - index - 2)
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count >= 2 else {
            throw SourceError(
                file: "ManagedAccessors", line: 0,
                message: "usage: ManagedAccessors OUTPUT MODULE FILE… [--imported MODULE FILE…]…")
        }
        try AccessorRun(arguments, tool: tool, version: BuildFile.toolVersion()).perform()
    }

    /// This program: the linker looks for libraries next to it.
    private static var tool: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    }
}
