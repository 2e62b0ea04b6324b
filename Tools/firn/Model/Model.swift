import ArgumentParser
import FirnInspection
import FirnLog
import FirnModel
import Foundation

/// `firn model`: what can be done with a model file without a store.
struct Model: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows, checks, compares and compiles models, and writes their classes.",
        discussion: """
            MODEL is an .xcdatamodeld (its current version, unless --version names another), an .xcdatamodel, a \
            compiled .momd or .mom, a model's XML file, or a store, whose log carries the model that it was last \
            opened with.
            """,
        subcommands: [
            ModelShow.self, ModelDiff.self, ModelCheck.self, ModelCompile.self, ModelGenerate.self,
        ])

    /// The model at a path, or a failure with file, line and what is wrong there.
    static func load(_ path: String, version: String? = nil) throws -> LoadedModel {
        if let store = try ofStore(path) {
            guard version == nil else {
                throw Failure("\(path): a store has one model; leave the version out")
            }
            return store
        }
        do {
            var url = URL(fileURLWithPath: path)
            if let version {
                let versions = try ModelBundle(contentsOf: url).versions
                guard let found = versions.first(where: { $0.name == version }) else {
                    throw Failure(
                        "\(path): there is no version “\(version)”"
                            + Suggestion.text(for: version, among: versions.map(\.name)))
                }
                url = found.url
            }
            return try NSManagedObjectModel.load(contentsOf: url)
        } catch let error as ModelFileError {
            throw Failure(error.description)
        }
    }

    /// The model in force of the store at a path; nil if there is none at it.
    static func ofStore(_ path: String) throws -> LoadedModel? {
        var options = StoreOptions()
        options.store = path
        guard !path.isEmpty, try SegmentLog.exists(directory: options.logDirectory) else { return nil }
        let log = try options.openLog()
        defer { log.close() }
        guard let (sequence, described) = try log.currentModel else {
            throw Failure("\(path): the log has no model yet, so nothing was saved in it")
        }
        return try NSManagedObjectModel.load(document: described.document, name: "\(path), record \(sequence)")
    }
}

/// The model that a verb is about.
struct ModelOptions: ParsableArguments {
    @Argument(help: "The path of the model.", completion: .file()) var model: String
    @Option(help: "The version in an .xcdatamodeld; the current one by default.") var version: String?

    func load() throws -> LoadedModel { try Model.load(model, version: version) }
}
