import ArgumentParser
import FirnInspection
import Foundation
import SourcePorting

/// `firn port apply`: writes into sources what they need on Linux.
struct PortApply: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Writes into the sources what they need on Linux.",
        discussion: """
            What both systems compile is written once: imports, texts for #keyPath, sets. The rest stands twice, under \
            #if canImport(ObjectiveC). What the sources call on Linux is written to PortedSupport.swift in the folder. \
            A file that needs nothing is not touched, and a second run changes nothing. The list has what is left to a \
            person; the status is 1 then. The folder has to be without uncommitted changes, as git sees it.
            """)

    @Argument(help: "The folders or files with the sources.", completion: .file()) var paths: [String]
    @Flag(help: "Print the edits as a unified difference, and write nothing.") var dryRun = false
    @Flag(help: "Write into a folder that has uncommitted changes, or is outside of git.") var force = false

    func run() throws {
        let sources = try PortedPaths(paths)
        if !dryRun, !force { try requireCommitted() }
        var output = Output()
        var changes: [(path: String, before: String, after: String)] = []
        var left: [PortFinding] = []
        for file in sources.files {
            let applied = AppliedSource(path: file.path, text: file.text, index: sources.index)
            left += applied.left
            changes.append((file.path, file.text, applied.text))
        }
        let support = (sources.folder.hasSuffix("/") ? sources.folder : sources.folder + "/") + PortIndex.appliedFile
        let before = try? String(contentsOf: URL(fileURLWithPath: support), encoding: .utf8)
        if let text = sources.index.appliedText(before: before) { changes.append((support, before ?? "", text)) }
        changes.removeAll { $0.before == $0.after }
        for change in changes {
            if dryRun {
                output.line(UnifiedDifference(path: change.path, change.before, change.after).text)
            } else {
                try Data(change.after.utf8).write(to: URL(fileURLWithPath: change.path), options: .atomic)
            }
        }
        if !dryRun {
            for finding in left { output.line(finding.printable) }
            output.line("changed: \(changes.count) of \(sources.files.count) files")
            output.line("to edit: \(left.count)")
        }
        output.flush()
        if !left.isEmpty { throw ExitCode(Failure.Status.damage.rawValue) }
    }

    private func requireCommitted() throws {
        for path in paths {
            let git = Process()
            let (output, errors) = (Pipe(), Pipe())
            git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            let url = URL(fileURLWithPath: path)
            let folder = isDirectory.boolValue ? url : url.deletingLastPathComponent()
            git.arguments = [
                "git", "-C", folder.path, "status", "--porcelain", "--", isDirectory.boolValue ? "." : url.path,
            ]
            (git.standardOutput, git.standardError) = (output, errors)
            try git.run()
            let changed = output.fileHandleForReading.readDataToEndOfFile()
            git.waitUntilExit()
            guard git.terminationStatus == 0 else {
                throw Failure("\(path): is in no repository of git, where edits could be undone; --force writes them")
            }
            guard changed.isEmpty else {
                throw Failure(
                    "\(path): has uncommitted changes; commit them first, or add --force")
            }
        }
    }
}
