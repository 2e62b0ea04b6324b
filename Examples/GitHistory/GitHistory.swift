import Foundation

/// Reads a git repository's history into a store, one commit a save, and checks that everybody who followed saw it.
@main
struct GitHistory {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let repository = try GitRepository(options.repository)
            print("\(repository.path): \(try repository.commitCount()) commits")
        } catch let error as DemoError {
            FileHandle.standardError.write(Data("GitHistory: \(error.message)\n".utf8))
            exit(error.status)
        } catch {
            FileHandle.standardError.write(Data("GitHistory: \(error)\n".utf8))
            exit(2)
        }
    }
}
