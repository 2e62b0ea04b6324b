import Foundation
import PackagePlugin

/// Gives a target's `@NSManaged` properties and methods their bodies, which no runtime does on Linux.
///
///
///     Order.swift   ──▶  Order+Managed.swift        the bodies of its members, for every file of the target
///     all of them   ──▶  ManagedKeyPathNames.swift  where the names of properties are found by their key paths
///
/// So what follows from a change of one file is one more small file to be compiled again. Which files have such members
/// is not known when the build is planned: a file without them gets an empty one.
///
/// A target asks for it with `plugins: [.plugin(name: "ManagedClasses", package: "Firn")]`.
@main
struct ManagedClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SwiftSourceModuleTarget else { return [] }
        let folder = context.pluginWorkDirectoryURL
        let sources = files(target)
        let outputs = sources.map { folder.appending(path: Self.name(besides: $0)) }
        var arguments = [folder.path, target.moduleName] + sources.map(\.path)
        var inputs = sources
        for case let imported as SwiftSourceModuleTarget in target.recursiveTargetDependencies
        where !Self.isOurs(imported.moduleName) {
            arguments += ["--imported", imported.moduleName] + files(imported).map(\.path)
            inputs += files(imported)
        }
        return [
            .buildCommand(
                displayName: "Bodies for @NSManaged in \(target.moduleName)",
                executable: try context.tool(named: "ManagedAccessors").url, arguments: arguments,
                inputFiles: inputs, outputFiles: outputs + [folder.appending(path: "ManagedKeyPathNames.swift")])
        ]
    }

    /// As `ManagedAccessors` calls it. No two files of a module have the same name.
    private static func name(besides source: URL) -> String {
        source.deletingPathExtension().lastPathComponent + "+Managed.swift"
    }

    private func files(_ target: SwiftSourceModuleTarget) -> [URL] {
        target.sourceFiles(withSuffix: "swift").filter { $0.type == .source }.map(\.url)
            .sorted { $0.path < $1.path }
    }

    /// Modules whose types the tool knows, or that cannot be types of properties.
    private static func isOurs(_ module: String) -> Bool {
        module == "CoreData" || module.hasPrefix("Firn") || module == "OrderedCollections" || module == "Crypto"
    }
}
