import Foundation

/// The tool behind the plugin: reads a target's Swift files and writes one more, with bodies for `@NSManaged`.
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
            print("\(error.file):\(error.line): error: \(error.message)")
            exit(1)
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count >= 2 else {
            throw SourceError(
                file: "ManagedAccessors", line: 0,
                message: "usage: ManagedAccessors OUTPUT MODULE FILE… [--imported MODULE FILE…]…")
        }
        let groups = arguments.dropFirst().split(separator: "--imported", omittingEmptySubsequences: false)
        var scanned: [[ScannedFile]] = []
        for group in groups {
            guard let module = group.first else { continue }
            scanned.append(
                try group.dropFirst().map { path in
                    let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
                    return try DeclarationScanner.scan(text, path: path, module: module)
                })
        }
        let module = arguments[1]
        let resolver = TypeResolver(module: module, files: scanned.flatMap { $0 })
        let writer = AccessorWriter(module: module, files: scanned[0], resolver: resolver)
        try write(Data(writer.text().utf8), to: URL(fileURLWithPath: arguments[0]))
    }

    /// A file that stays as it is is not compiled again.
    private static func write(_ data: Data, to url: URL) throws {
        if (try? Data(contentsOf: url)) == data { return }
        try data.write(to: url)
    }
}
