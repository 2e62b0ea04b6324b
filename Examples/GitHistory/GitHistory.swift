import Foundation

/// Reads a git repository's history into a store, one commit a save, and checks that everybody who followed saw it.
@main
struct GitHistory {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            exit(try Demo(options: options).run())
        } catch let error as DemoError {
            complain(error.message)
            exit(error.status)
        } catch {
            complain("\(error)")
            exit(2)
        }
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("GitHistory: \(message)\n".utf8))
    }
}
