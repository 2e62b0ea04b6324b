import ArgumentParser
import FirnInspection
import FirnModel
import Foundation

/// `firn model diff`: in what two models differ, and what opening a store of the first with the second would do.
struct ModelDiff: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compares two models, and says what migration would do.",
        discussion: """
            OLD and NEW are models, or, with --from and --to, versions of one bundle that is given as OLD alone. The \
            status is 1 if the migration cannot be inferred.
            """)

    @Argument(help: "The model before.", completion: .file()) var old: String
    @Argument(help: "The model after.", completion: .file()) var new: String?
    @Option(help: "The version of OLD.") var from: String?
    @Option(help: "The version of NEW, or of OLD where there is no NEW.") var to: String?
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let before = try Model.load(old, version: from).model
        let after = try Model.load(new ?? old, version: to).model
        let problems = MappingInference(ModelMatching(from: before, to: after)).problems
        let isCompatible = before.entityVersionHashesByName == after.entityVersionHashesByName
        var output = Output()
        for difference in before.differences(to: after) {
            let object: JSONObject = ["difference": .text(difference.description)]
            output.line(json ? object.line : Console.printable(difference.description))
        }
        for problem in problems {
            let object: JSONObject = [
                "problem": .text(problem.place), "reason": .text(problem.reason), "remedy": .text(problem.remedy),
            ]
            output.line(
                json ? object.line : Console.styled("cannot", .red) + "  " + Console.printable(problem.description))
        }
        let verdict = problems.isEmpty ? (isCompatible ? "compatible" : "lightweight") : "mapping model needed"
        let object: JSONObject = ["migration": .text(verdict)]
        output.line(json ? object.line : "migration  \(verdict)")
        output.flush()
        if !problems.isEmpty { throw ExitCode(Failure.Status.damage.rawValue) }
    }
}
