import BuildFiles
import FirnModel
import Foundation
import ModelGeneration
import SourcePorting

/// The tool behind the plugin `PortedSources`: makes the copies of sources that Linux compiles.
///
///     SourcePorter INDEX [FILE COPY]… --models MODEL… --with MODULE…
///
/// The index has what the files say of each other and what the copies call. Models (`.xcdatamodeld`) are read for the
/// classes that they generate. A snapshot of the sources is written next to the index, for the next run.
/// Status: 0; 1 with a line like the compiler's.
@main
enum SourcePorter {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        let groups = arguments.split(omittingEmptySubsequences: false) { $0 == "--models" || $0 == "--with" }
        guard groups.count == 3, let output = groups[0].first, groups[0].count % 2 == 1 else {
            print("error: usage: SourcePorter INDEX [FILE COPY]… --models MODEL… --with MODULE…")
            exit(1)
        }
        let paths = Array(groups[0].dropFirst())
        let files = stride(from: 0, to: paths.count, by: 2).map {
            PortingRun.File(path: paths[$0], copy: paths[$0 + 1])
        }
        let models = try groups[1].map { try ModelBundle(contentsOf: URL(fileURLWithPath: $0)).current.url }
        let run = PortingRun(
            index: output, files: files, modules: Array(groups[2]), tool: try BuildFile.toolVersion(),
            models: try models.map { try Data(contentsOf: $0.appending(path: "contents")) })
        for finding in try run.perform(generated: { try models.flatMap(generatedClasses) })
        where !finding.kind.isPorted {
            print("\(finding.file):\(finding.line): warning: \(finding.text): \(finding.kind.remedy)")
        }
    }

    private static func generatedClasses(_ version: URL) throws -> [String] {
        let model = try NSManagedObjectModel.load(contentsOf: version).model
        return ClassGenerator(model: model).files(.asModelled).map(\.text)
    }
}
