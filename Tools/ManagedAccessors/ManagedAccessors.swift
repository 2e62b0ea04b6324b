import Foundation

/// The tool behind the plugin: reads a target's Swift files and writes one more for each, with bodies for `@NSManaged`,
/// and one for all, with the names of their properties.
///
///     ManagedAccessors FOLDER MODULE FILE… [--imported MODULE FILE…]…
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
                message: "usage: ManagedAccessors FOLDER MODULE FILE… [--imported MODULE FILE…]…")
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
        let folder = URL(fileURLWithPath: arguments[0])
        for file in scanned[0] {
            let name = URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
            try write(Data(writer.text(of: file).utf8), to: folder.appendingPathComponent(name + "+Managed.swift"))
        }
        try write(Data(writer.names().utf8), to: folder.appendingPathComponent("ManagedKeyPathNames.swift"))
    }

    /// A file that stays as it is is not compiled again.
    private static func write(_ data: Data, to url: URL) throws {
        if (try? Data(contentsOf: url)) == data { return }
        try data.write(to: url)
    }
}
