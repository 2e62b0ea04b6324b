import BuildFiles
package import Foundation

/// Ports the files of a target into a folder, as far as they changed since the run before.
///
/// A run ends with a snapshot of all that it read. The next run ports the changed files alone if the index is the same
/// for their new texts. A snapshot of other files, of another tool or that is damaged is ignored.
package struct PortingRun {
    package struct File {
        package var path: String
        /// The path of the copy.
        package var copy: String

        package init(path: String, copy: String) {
            self.path = path
            self.copy = copy
        }
    }

    private let index: String
    private let files: [File]
    private let modules: [String]
    private let tool: String
    private let models: [Data]

    /// - Parameters:
    ///   - index: the path of the file with the index.
    ///   - tool: a text that differs between versions of the tool.
    ///   - models: the contents of the models whose classes are generated.
    package init(index: String, files: [File], modules: [String], tool: String, models: [Data]) {
        self.index = index
        self.files = files
        self.modules = modules
        self.tool = tool
        self.models = models
    }

    /// Writes the copies that are not what they should be.
    /// - Parameter generated: returns the text of the classes that the models generate.
    /// - Returns: the findings in the files that were ported.
    package func perform(generated: () throws -> [String]) throws -> [PortFinding] {
        let arguments = [tool] + files.flatMap { [$0.path, $0.copy] } + ["\(models.count)"] + modules
        let context = [Data(arguments.joined(separator: "\n").utf8)] + models
        let contents = try files.map { try BuildFile.contents($0.path) }
        let snapshot = BuildSnapshot(besides: index)
        let text = FileManager.default.contents(atPath: index) ?? Data()
        let changes = snapshot.removeChanges(context + [text], contents)
        let findings = try changes.flatMap { try update(contents, $0, text) } ?? portAll(contents, generated())
        try snapshot.write(context + [BuildFile.contents(index)], contents)
        return findings
    }

    /// Ports the changed files; nil if that is not enough.
    private func update(
        _ contents: [Data], _ changes: [(number: Int, before: Data)], _ index: Data
    ) throws -> [PortFinding]? {
        guard let index = try? PortIndex(text: String(decoding: index, as: UTF8.self)),
            files.allSatisfy({ FileManager.default.fileExists(atPath: $0.copy) })
        else { return nil }
        var changed: [(OutlinedSource, File)] = []
        for (number, before) in changes {
            let file = files[number]
            let source = try Self.source(file, contents[number])
            guard let before = try? Self.source(file, before), index.isSame(for: before, and: source)
            else { return nil }
            changed.append((source, file))
        }
        return try changed.flatMap { try port($0.0, to: $0.1.copy, index) }
    }

    private func portAll(_ contents: [Data], _ generated: [String]) throws -> [PortFinding] {
        let sources = try Array(files.indices).concurrentMap { number in
            Result { try Self.source(files[number], contents[number]) }
        }.map { try $0.get() }
        let index = PortIndex(sources, modules: Set(modules), generated: generated)
        try BuildFile.write(index.text(), to: self.index)
        return try Array(files.indices).concurrentMap { number in
            Result { try port(sources[number], to: files[number].copy, index) }
        }.flatMap { try $0.get() }
    }

    private func port(_ source: OutlinedSource, to copy: String, _ index: PortIndex) throws -> [PortFinding] {
        let porter = Porter(source, index: index, isIndexing: false)
        try BuildFile.write(porter.text, to: copy)
        return porter.findings
    }

    private static func source(_ file: File, _ contents: Data) throws -> OutlinedSource {
        OutlinedSource(path: file.path, text: try BuildFile.text(contents, file.path))
    }
}
