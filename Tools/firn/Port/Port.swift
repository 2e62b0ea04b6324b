import ArgumentParser
import FirnInspection
import Foundation
import SourcePorting

/// `firn port`: what sources that were written for Apple's systems need on Linux.
struct Port: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks what sources for Apple's systems need on Linux.",
        discussion: "The plugin PortedSources compiles ported copies of a target's sources.",
        subcommands: [PortCheck.self])
}

/// `firn port check`: the places that the plugin ports, and those that it cannot, without a build.
struct PortCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Lists what cannot be ported, by file and line, and counts all places.",
        discussion: """
            Every Swift file below PATH is read, without a build. The list has what needs an edit, with its remedy; \
            with --all also what the plugin PortedSources does itself. The status is 1 if something needs an edit.
            """)

    @Argument(help: "The folders or files with the sources.", completion: .file()) var paths: [String]
    @Flag(help: "List what the plugin does too.") var all = false
    @Flag(help: "Write one JSON object a place.") var json = false

    func run() throws {
        let files = try paths.flatMap(Self.swiftFiles).sorted()
        let texts = try files.map { path in
            guard let text = try? String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8) else {
                throw Failure("\(path): cannot be read as a text in UTF-8")
            }
            return (path: path, text: text)
        }
        let index = PortIndex(files: texts)
        let findings = texts.flatMap { Porter(path: $0.path, text: $0.text, index: index).findings }
        var output = Output()
        for finding in findings where json || all || !finding.kind.isPorted {
            output.line(json ? Self.object(finding).line : Self.line(finding))
        }
        if !json { summarize(findings, texts.count, &output) }
        output.flush()
        if findings.contains(where: { !$0.kind.isPorted }) { throw ExitCode(Failure.Status.damage.rawValue) }
    }

    private func summarize(_ findings: [PortFinding], _ fileCount: Int, _ output: inout Output) {
        let counts = Dictionary(grouping: findings, by: \.kind).mapValues(\.count)
        for (title, isPorted) in [("ported", true), ("to edit", false)] {
            let kinds = PortFinding.Kind.allCases.filter { $0.isPorted == isPorted && counts[$0] != nil }
            let total = kinds.reduce(0) { $0 + (counts[$1] ?? 0) }
            output.line("\(title): \(total)")
            for kind in kinds { output.line("  \(counts[kind] ?? 0)  \(kind.rawValue): \(kind.remedy)") }
        }
        output.line("files: \(fileCount)")
    }

    private static func line(_ finding: PortFinding) -> String {
        let text = finding.text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return Console.printable("\(finding.file):\(finding.line): \(text): \(finding.kind.remedy)")
    }

    private static func object(_ finding: PortFinding) -> JSONObject {
        var object = JSONObject()
        object["file"] = .text(finding.file)
        object["line"] = .integer(Int64(finding.line))
        object["kind"] = .text(finding.kind.rawValue)
        object["ported"] = .bool(finding.kind.isPorted)
        object["text"] = .text(finding.text)
        object["remedy"] = .text(finding.kind.remedy)
        return object
    }

    private static func swiftFiles(_ path: String) throws -> [String] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw Failure("\(path): there is no file or folder at this path; name a folder with sources")
        }
        guard isDirectory.boolValue else { return [path] }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".build/") && !$0.contains("/.build/") }
            .map { (path.hasSuffix("/") ? path : path + "/") + $0 }
    }
}
