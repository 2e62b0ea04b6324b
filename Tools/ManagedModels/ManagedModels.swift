import Foundation
import PackagePlugin

/// Turns the `.xcdatamodeld` bundles in a target's folder into compiled models among its resources, and into the
/// classes of the entities whose code generation is "Class Definition" or "Category/Extension". A mapping model becomes
/// a resource.
///
///     Sources/Fleet/Fleet.xcdatamodeld     ──▶  Fleet.momd            in Bundle.module
///                                          ──▶  Fleet+Classes.swift   in the module
///     Sources/Fleet/1 to 2.xcmappingmodel  ──▶  1 to 2.cdm            in Bundle.module
///
/// A target asks for it with `plugins: [.plugin(name: "ManagedModels", package: "Firn")]`, and excludes the bundles,
/// which would otherwise be files that nobody handles.
@main
struct ManagedModels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "ModelCompiler").url
        let module = (target as? any SourceModuleTarget)?.moduleName ?? target.name
        let mappings = bundles(in: target.directoryURL, "xcmappingmodel").map { mapping in
            let name = mapping.deletingPathExtension().lastPathComponent
            let compiled = context.pluginWorkDirectoryURL.appending(path: name + ".cdm")
            return Command.buildCommand(
                displayName: "Compiling the mapping model \(name)", executable: tool,
                arguments: [mapping.path, compiled.path], inputFiles: [mapping.appending(path: "xcmapping.xml")],
                outputFiles: [compiled])
        }
        return try mappings + bundles(in: target.directoryURL, "xcdatamodeld").map { bundle in
            let name = bundle.deletingPathExtension().lastPathComponent
            let classes = context.pluginWorkDirectoryURL.appending(path: name + "+Classes.swift")
            let compiled = context.pluginWorkDirectoryURL.appending(path: name + ".momd")
            return .buildCommand(
                displayName: "Compiling the model \(name)", executable: tool,
                arguments: [bundle.path, classes.path, compiled.path, module], inputFiles: try files(in: bundle),
                outputFiles: [classes, compiled])
        }
    }

    private func bundles(in folder: URL, _ pathExtension: String) -> [URL] {
        let entries = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: [URL] = []
        while let entry = entries?.nextObject() as? URL {
            guard entry.pathExtension == pathExtension else { continue }
            found.append(entry)
            entries?.skipDescendants()
        }
        return found.sorted { $0.path < $1.path }
    }

    /// The files whose changes make the model compile again.
    private func files(in bundle: URL) throws -> [URL] {
        let versions = try FileManager.default.contentsOfDirectory(at: bundle, includingPropertiesForKeys: nil)
        let contents = versions.map { $0.appending(path: "contents") }
        return ([bundle.appending(path: ".xccurrentversion")] + contents)
            .filter { FileManager.default.fileExists(atPath: $0.path) }.sorted { $0.path < $1.path }
    }
}
