import ArgumentParser
import FirnInspection
import FirnModel
import Foundation

/// `firn model check`: what is wrong or odd in a model, with file and line.
struct ModelCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Reports what is wrong in a model, with file and line.",
        discussion: "All versions of a bundle are read. The status is 1 if one of them does not load.")

    @Argument(help: "The path of the model.", completion: .file()) var model: String
    @Flag(help: "Write one JSON object an issue.") var json = false

    func run() throws {
        if let store = try Model.ofStore(model) { return try report(store.warnings) }
        let url = URL(fileURLWithPath: model)
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw Failure("\(model): there is no file or folder at this path; name a model or a store")
        }
        let versions = (try? ModelBundle(contentsOf: url))?.versions.map(\.url) ?? [url]
        var issues: [ModelIssue] = []
        for version in versions {
            do {
                issues += try NSManagedObjectModel.load(contentsOf: version).warnings
            } catch let error as ModelFileError {
                issues += error.issues
            }
        }
        try report(issues)
    }

    private func report(_ issues: [ModelIssue]) throws {
        var output = Output()
        for issue in issues { output.line(json ? object(issue).line : Console.printable(issue.description)) }
        if issues.isEmpty, !json { output.line("\(model): nothing to report") }
        output.flush()
        if issues.contains(where: { $0.severity == .error }) { throw ExitCode(Failure.Status.damage.rawValue) }
    }

    private func object(_ issue: ModelIssue) -> JSONObject {
        return [
            "severity": .text(issue.severity.rawValue), "file": .text(issue.file), "line": .number(issue.line),
            "message": .text(issue.message),
        ]
    }
}
