import Foundation

/// The package's own text files, as the rules see them.
struct SourceTree {
    struct File {
        /// Relative to the package's folder, with `/` between the parts.
        let path: String
        let text: String

        var isSwift: Bool { path.hasSuffix(".swift") }
        var isMarkdown: Bool { path.hasSuffix(".md") }

        /// The lines, without their line breaks; a last line break does not make one more.
        var lines: [Substring] {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.last?.isEmpty == true { lines.removeLast() }
            return lines
        }
    }

    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .standardizedFileURL

    /// Every UTF-8 text of the package. What a build or a tool makes there is left out.
    static let files: [File] = {
        var files: [File] = []
        let folders = ["Sources", "Tests", "Examples", "Tools", "Documentation", ".ci", ".github"]
        for folder in folders { collect(folder, into: &files) }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? [] {
            let isText =
                name.hasSuffix(".md") || name.hasSuffix(".swift") || name == "LICENSE"
                || [".gitignore", ".editorconfig", ".spi.yml", ".swift-format"].contains(name)
            if isText { append(name, to: &files) }
        }
        return files.sorted { $0.path < $1.path }
    }()

    static var swiftFiles: [File] { files.filter(\.isSwift) }

    private static func collect(_ folder: String, into files: inout [File]) {
        let names =
            (try? FileManager.default.contentsOfDirectory(
                atPath: root.appending(path: folder).path)) ?? []
        for name in names where name != ".build" && name != ".swiftpm" {
            let path = folder + "/" + name
            var isDirectory: ObjCBool = false
            guard
                FileManager.default.fileExists(
                    atPath: root.appending(path: path).path, isDirectory: &isDirectory)
            else { continue }
            if isDirectory.boolValue {
                collect(path, into: &files)
            } else {
                append(path, to: &files)
            }
        }
    }

    private static func append(_ path: String, to files: inout [File]) {
        guard let data = try? Data(contentsOf: root.appending(path: path)),
            let text = String(validating: data, as: UTF8.self)
        else { return }
        files.append(File(path: path, text: text))
    }
}
