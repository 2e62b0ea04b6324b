import BuildFiles
package import Foundation

/// A run of the tool: it does nothing if the changed files declare the same as in the run before.
package struct AccessorRun {
    private let arguments: [String]
    private let tool: URL
    private let version: String
    private let output: String
    private let module: String
    private var files: [(module: String, path: String)] = []

    /// - Parameters:
    ///   - arguments: of the tool.
    ///   - tool: the program; the library of accessors is next to it.
    ///   - version: a text that differs between versions of the tool.
    package init(_ arguments: [String], tool: URL, version: String) {
        (self.arguments, self.tool, self.version) = (arguments, tool, version)
        (output, module) = (arguments[0], arguments[1])
        for group in arguments.dropFirst().split(separator: "--imported", omittingEmptySubsequences: false) {
            guard let module = group.first else { continue }
            files += group.dropFirst().map { (module, $0) }
        }
    }

    /// Returns whether accessors were looked for in all files.
    @discardableResult
    package func perform() throws -> Bool {
        let contents = try files.map { try BuildFile.contents($0.path) }
        let snapshot = BuildSnapshot(besides: output)
        let before = context()
        let changes = snapshot.removeChanges(before, contents)
        if let changes, changes.allSatisfy({ hasSameAccessors($0.number, $0.before, contents[$0.number]) }) {
            try snapshot.write(before, contents)
            return false
        }
        try makeAccessors(contents)
        try snapshot.write(context(), contents)
        return true
    }

    /// The arguments, this tool, and what it wrote.
    private func context() -> [Data] {
        let text = [version] + arguments + [Archive.stamps(FileAccessors.prefix(module), besides: tool)]
        return [Data(text.joined(separator: "\n").utf8), FileManager.default.contents(atPath: output) ?? Data()]
    }

    private func scan(_ number: Int, _ contents: Data) throws -> ScannedFile {
        let (module, path) = files[number]
        return try DeclarationScanner.scan(BuildFile.text(contents, path), path: path, module: module)
    }

    private func hasSameAccessors(_ number: Int, _ before: Data, _ after: Data) -> Bool {
        guard let before = try? scan(number, before), let after = try? scan(number, after) else { return false }
        return before.hasSameAccessors(as: after)
    }

    private func makeAccessors(_ contents: [Data]) throws {
        let scanned = try files.indices.map { try scan($0, contents[$0]) }
        let own = scanned.indices.filter { files[$0].module == module }
        let resolver = TypeResolver(module: module, files: scanned)
        let writer = AccessorWriter(module: module, files: own.map { scanned[$0] }, resolver: resolver)
        var types = Stamp()
        types.add(version)
        for type in scanned.lazy.flatMap(\.types) { types.add(type) }
        let prefix = FileAccessors.prefix(module)
        let accessors = own.filter { !scanned[$0].members.isEmpty }.map { number in
            FileAccessors(scanned[number].path, prefix: prefix, contents[number], types: types) {
                try writer.accessors(of: scanned[number])
            }
        }
        let (inSwift, isEmpty) = try Archive.update(prefix: prefix, accessors, besides: tool)
        try BuildFile.write(isEmpty ? AccessorWriter.heading : writer.text(inSwift), to: output)
    }
}
