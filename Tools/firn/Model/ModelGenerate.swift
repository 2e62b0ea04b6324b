import ArgumentParser
import FirnModel
import Foundation
import ModelGeneration

/// `firn model generate`: the Swift classes of a model's entities.
struct ModelGenerate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Writes the Swift classes of a model's entities, as Xcode does.",
        discussion: "A class file that is there stays as it is; the files with the properties are overwritten.")

    @OptionGroup var options: ModelOptions
    @Option(help: "The folder for the files.") var into = "."
    @Flag(name: .customLong("internal"), help: "Internal classes and members; public by default.")
    var isInternal = false

    func run() throws {
        let model = try options.load().model
        let folder = URL(fileURLWithPath: into)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var output = Output()
        let files = ClassGenerator(model: model, isPublic: !isInternal).files()
        if files.isEmpty {
            let text = "nothing to write: no entity of the model has a class of its own\n"
            Console.writeError(text)
        }
        for file in files {
            let url = folder.appendingPathComponent(file.name)
            let isByHand = file.name.hasSuffix("+CoreDataClass.swift")
            if isByHand, FileManager.default.fileExists(atPath: url.path) { continue }
            try Data(file.text.utf8).write(to: url)
            output.line(url.path)
        }
        output.flush()
    }
}
