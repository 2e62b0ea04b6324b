import Foundation
import PackagePlugin

/// Gives a target's `@NSManaged` properties and methods their bodies, which no runtime does on Linux.
///
///     all files ──▶  the library of accessors    a few instructions for each member, which no compiler makes
///               ──▶  ManagedAccessors.swift      an import that has the linker look into that library, and bodies for
///                                                members of types that only Swift can pass on
///
/// So nothing more is compiled where a member of a usual type changes.
///
/// A target asks for it with `plugins: [.plugin(name: "ManagedClasses", package: "Firn")]`.
@main
struct ManagedClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SwiftSourceModuleTarget else { return [] }
        let output = context.pluginWorkDirectoryURL.appending(path: "ManagedAccessors.swift")
        let sources = files(target)
        var arguments = [output.path, target.moduleName] + sources.map(\.path)
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
                inputFiles: inputs, outputFiles: [output])
        ]
    }

    private func files(_ target: SwiftSourceModuleTarget) -> [URL] {
        target.sourceFiles(withSuffix: "swift").filter { $0.type == .source }.map(\.url)
            .sorted { $0.path < $1.path }
    }

    /// Modules whose types the tool knows, or that cannot be types of properties.
    private static func isOurs(_ module: String) -> Bool {
        module == "CoreData" || module.hasPrefix("Firn")
    }
}
