import ArgumentParser
import FirnInspection
import Foundation
import SourcePorting

/// `firn port`: what sources that were written for Apple's systems need on Linux.
struct Port: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks what sources for Apple's systems need on Linux, and writes it into them.",
        discussion: "The plugin PortedSources compiles ported copies of a target's sources.",
        subcommands: [PortCheck.self, PortApply.self])
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
        let sources = try PortedPaths(paths)
        let findings = sources.files.flatMap { file in
            Porter(path: file.path, text: file.text, index: sources.index).findings
        }
        var output = Output()
        for finding in findings where json || all || !finding.kind.isPorted {
            output.line(json ? Self.object(finding).line : finding.printable)
        }
        if !json { summarize(findings, sources.files.count, &output) }
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

    private static func object(_ finding: PortFinding) -> JSONObject {
        return [
            "file": .text(finding.file), "line": .number(finding.line), "kind": .text(finding.kind.rawValue),
            "ported": .bool(finding.kind.isPorted), "text": .text(finding.text), "remedy": .text(finding.kind.remedy),
        ]
    }
}

extension PortFinding {
    /// `Order.swift:7: #selector(changed): use a closure`
    var printable: String {
        let text = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return Console.printable("\(file):\(line): \(text): \(kind.remedy)")
    }
}
