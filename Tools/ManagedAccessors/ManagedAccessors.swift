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
        var types = Stamp()
        types.add(fileAt: tool.path)
        for type in scanned.joined().lazy.flatMap(\.types) { types.add(type) }
        let files = scanned[0].filter { !$0.members.isEmpty }.map { file in
            FileAccessors(file.path, module: module, types: types) { try writer.accessors(of: file) }
        }
        let (inSwift, isEmpty) = try Archive.update(module: module, files, besides: tool)
        let text = isEmpty ? AccessorWriter.heading : writer.text(inSwift)
        try write(Data(text.utf8), to: URL(fileURLWithPath: arguments[0]))
    }

    /// This program: the linker looks for libraries next to it.
    private static var tool: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    }

    /// A file that stays as it is is not compiled again.
    private static func write(_ data: Data, to url: URL) throws {
        if (try? Data(contentsOf: url)) == data { return }
        try data.write(to: url)
    }
}
