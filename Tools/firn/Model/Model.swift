import ArgumentParser
import FirnModel
import Foundation

/// `firn model`: what can be done with a model file without a store.
struct Model: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows, checks, compares and compiles models, and writes their classes.",
        discussion: """
            MODEL is an .xcdatamodeld (its current version, unless --version names another), an .xcdatamodel, a \
            compiled .momd or .mom, or a model's XML file.
            """,
        subcommands: [
            ModelShow.self, ModelDiff.self, ModelCheck.self, ModelCompile.self, ModelGenerate.self,
        ])

    /// The model at a path, or a failure with file, line and what is wrong there.
    static func load(_ path: String, version: String? = nil) throws -> LoadedModel {
        do {
            var url = URL(fileURLWithPath: path)
            if let version {
                let versions = try ModelBundle(contentsOf: url).versions
                guard let found = versions.first(where: { $0.name == version }) else {
                    throw Failure(
                        "\(path): no version \"\(version)\"; it has " + versions.map(\.name).joined(separator: ", "))
                }
                url = found.url
            }
            return try NSManagedObjectModel.load(contentsOf: url)
        } catch let error as ModelFileError {
            throw Failure(error.description)
        }
    }
}

/// The model that a verb is about.
struct ModelOptions: ParsableArguments {
    @Argument(help: "The path of the model.", completion: .file()) var model: String
    @Option(help: "The version in an .xcdatamodeld; the current one by default.") var version: String?

    func load() throws -> LoadedModel { try Model.load(model, version: version) }
}
