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

    private var snapshotPath: String { index + ".snapshot" }

    /// Writes the copies that are not what they should be.
    /// - Parameter generated: returns the text of the classes that the models generate.
    /// - Returns: the findings in the files that were ported.
    package func perform(generated: () throws -> [String]) throws -> [PortFinding] {
        let arguments = [tool] + files.flatMap { [$0.path, $0.copy] } + ["\(models.count)"] + modules
        let head = [Data(arguments.joined(separator: "\n").utf8)] + models
        let contents = try files.map { try Self.contents($0.path) }
        let before = Self.snapshot(at: snapshotPath)
        // A run that is stopped leaves none.
        try? FileManager.default.removeItem(atPath: snapshotPath)
        let findings = try update(contents, head, before) ?? portAll(contents, generated())
        let parts = try head + [Self.contents(index)] + contents
        var snapshot = Data((parts.map { "\($0.count)" }.joined(separator: " ") + "\n").utf8)
        for part in parts { snapshot.append(part) }
        try snapshot.write(to: URL(fileURLWithPath: snapshotPath))
        return findings
    }

    /// Ports the changed files; nil if that is not enough.
    private func update(_ contents: [Data], _ head: [Data], _ before: [Data]) throws -> [PortFinding]? {
        guard before.count == head.count + 1 + files.count, Array(before.prefix(head.count)) == head,
            let text = try? Self.contents(index), text == before[head.count],
            let index = try? PortIndex(text: String(decoding: text, as: UTF8.self)),
            files.allSatisfy({ FileManager.default.fileExists(atPath: $0.copy) })
        else { return nil }
        var changed: [(OutlinedSource, File)] = []
        for (number, file) in files.enumerated() {
            let old = before[head.count + 1 + number]
            if old == contents[number] { continue }
            let source = try Self.source(file, contents[number])
            guard let before = try? Self.source(file, old), index.isSame(for: before, and: source) else { return nil }
            changed.append((source, file))
        }
        return try changed.flatMap { try port($0.0, to: $0.1.copy, index) }
    }

    private func portAll(_ contents: [Data], _ generated: [String]) throws -> [PortFinding] {
        let sources = try Array(files.indices).concurrentMap { number in
            Result { try Self.source(files[number], contents[number]) }
        }.map { try $0.get() }
        let index = PortIndex(sources, modules: Set(modules), generated: generated)
        try Self.write(index.text(), to: self.index)
        return try Array(files.indices).concurrentMap { number in
            Result { try port(sources[number], to: files[number].copy, index) }
        }.flatMap { try $0.get() }
    }

    private func port(_ source: OutlinedSource, to copy: String, _ index: PortIndex) throws -> [PortFinding] {
        let porter = Porter(source, index: index, isIndexing: false)
        try Self.write(porter.text, to: copy)
        return porter.findings
    }

    // MARK: Files

    private static func source(_ file: File, _ contents: Data) throws -> OutlinedSource {
        guard let text = String(data: contents, encoding: .utf8) else {
            throw CocoaError(.fileReadInapplicableStringEncoding, userInfo: [NSFilePathErrorKey: file.path])
        }
        return OutlinedSource(path: file.path, text: text)
    }

    private static func contents(_ path: String) throws -> Data {
        try FileManager.default.contents(atPath: path) ?? Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Leaves a file alone that has the text, so that it is not compiled again.
    private static func write(_ text: String, to path: String) throws {
        let data = Data(text.utf8)
        if FileManager.default.contents(atPath: path) == data { return }
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// The parts of a snapshot, whose first line has their sizes; none if it is damaged.
    private static func snapshot(at path: String) -> [Data] {
        guard let data = FileManager.default.contents(atPath: path), let end = data.firstIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        let sizes = String(decoding: data[..<end], as: UTF8.self).split(separator: " ").map { UInt32($0) ?? .max }
        guard sizes.reduce(0, { $0 + Int($1) }) == data.count - end - 1 else { return [] }
        var start = end + 1
        return sizes.map { size in
            defer { start += Int(size) }
            return data[start..<start + Int(size)]
        }
    }
}
