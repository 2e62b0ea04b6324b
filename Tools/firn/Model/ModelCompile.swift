import ArgumentParser
import FirnInspection
import FirnModel
import Foundation
import ModelGeneration

/// `firn model compile`: a `.momd` of ours, which loads without the source bundle.
struct ModelCompile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile", abstract: "Compiles a bundle to a .momd.",
        discussion: """
            Every version becomes a .mom in canonical form, next to a VersionInfo.plist that names the current one. \
            The same models give the same bytes. With --module the classes of entities are named with it, as Xcode's \
            compiler names them, where the model names no module. OUTPUT must not be there yet.
            """)

    @Argument(help: "The path of the .xcdatamodeld or .xcdatamodel.", completion: .file()) var model: String
    @Argument(help: "The .momd to make.") var output: String
    @Option(help: "The module of the entities' classes.") var module: String?

    func run() throws {
        let folder = URL(fileURLWithPath: output)
        guard !FileManager.default.fileExists(atPath: folder.path) else {
            throw Failure("\(output): there is something already; remove it, or name another place")
        }
        let url = URL(fileURLWithPath: model)
        let bundle = try? ModelBundle(contentsOf: url)
        let name = url.deletingPathExtension().lastPathComponent
        let versions = bundle?.versions.map { ($0.name, $0.url) } ?? [(name, url)]
        let models = try versions.map { ($0.0, try Model.load($0.1.path).model) }
        do { try write(models, bundle?.current.name ?? name, to: folder) } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    private func write(_ models: [(String, NSManagedObjectModel)], _ current: String, to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, model) in models {
            if let module { model.qualifyClassNames(module: module) }
            try Data(model.xcdatamodelContents()).write(to: folder.appendingPathComponent(name + ".mom"))
        }
        let info = ["NSManagedObjectModel_CurrentVersionName": current]
        let data = try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
        try data.write(to: folder.appendingPathComponent("VersionInfo.plist"))
    }
}
