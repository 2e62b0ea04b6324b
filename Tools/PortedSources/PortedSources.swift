import Foundation
import PackagePlugin

/// Compiles copies of sources that were written for Apple's systems. The sources stay as they are.
///
///     Model/Order.swift                ──▶  Order+Ported.swift       in the plugin's folder
///     all of them                      ──▶  PortedSources.swift      what they say of each other, what they call
///     the copies and the target's own  ──▶  ManagedAccessors.swift   bodies for @NSManaged, as ManagedClasses does
///     Model/Shop.xcdatamodeld          ──▶  Shop.momd                as ManagedModels does
///                                      ──▶  Shop+Classes.swift
///     Model/1 to 2.xcmappingmodel      ──▶  1 to 2.cdm
///
/// A target excludes the folder with the sources, and asks for the plugin with
/// `plugins: [.plugin(name: "PortedSources", package: "Firn")]`. Every Swift file of the target's folder that is no
/// source of the target is ported. A file `ported-sources.txt` in the target's folder says otherwise: one path a line,
/// relative to the target's folder, of a folder or a file; `!` before a path leaves it out, `#` begins a comment.
@main
struct PortedSources: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SwiftSourceModuleTarget else { return [] }
        let folder = context.pluginWorkDirectoryURL
        let porter = try context.tool(named: "SourcePorter").url
        let selection = Selection(target)
        let index = folder.appending(path: "PortedSources.swift")
        let modules = target.recursiveTargetDependencies.compactMap { ($0 as? any SourceModuleTarget)?.moduleName }
        let isCompiled = !selection.models.isEmpty || !selection.mappings.isEmpty
        let hasResources = isCompiled || target.sourceFiles.contains { $0.type == .resource }
        let bundle = hasResources ? ["Bundle.module"] : []
        let standIns = modules.filter { $0 == "Crypto" || $0.hasPrefix("OpenCombine") } + bundle
        var copies: [URL] = []
        var counts: [String: Int] = [:]
        for source in selection.sources {
            // A name of its own: the source has the same '#fileID' otherwise.
            let name = source.deletingPathExtension().lastPathComponent + "+Ported"
            counts[name, default: 0] += 1
            let number = counts[name].map { $0 > 1 ? "\($0)" : "" } ?? ""
            copies.append(folder.appending(path: name + number + ".swift"))
        }
        let pairs = zip(selection.sources, copies).flatMap { [$0.path, $1.path] }
        let models = selection.models.map(\.path)
        // One command for all, as starting a process takes longer than porting a file.
        var commands: [Command] = [
            .buildCommand(
                displayName: "Porting \(copies.count) sources of \(target.moduleName)", executable: porter,
                arguments: [index.path] + pairs + ["--models"] + models + ["--with"] + standIns,
                // A newer porter ports all sources again.
                inputFiles: [porter] + selection.sources + selection.models.flatMap(versions),
                outputFiles: [index] + copies)
        ]
        for bundle in selection.models {
            let (command, classes) = try compile(bundle, context, target, index)
            commands.append(command)
            copies.append(classes)
        }
        for mapping in selection.mappings {
            let name = mapping.deletingPathExtension().lastPathComponent
            let compiled = folder.appending(path: name + ".cdm")
            commands.append(
                .buildCommand(
                    displayName: "Compiling the mapping model \(name)",
                    executable: try context.tool(named: "ModelCompiler").url, arguments: [mapping.path, compiled.path],
                    inputFiles: [mapping.appending(path: "xcmapping.xml")], outputFiles: [compiled]))
        }
        commands.append(try accessors(context, target, files(target) + copies.sorted { $0.path < $1.path }))
        return commands
    }

    private func compile(
        _ bundle: URL, _ context: PluginContext, _ target: SwiftSourceModuleTarget, _ index: URL
    ) throws -> (Command, classes: URL) {
        let name = bundle.deletingPathExtension().lastPathComponent
        let classes = context.pluginWorkDirectoryURL.appending(path: name + "+Classes.swift")
        let compiled = context.pluginWorkDirectoryURL.appending(path: name + ".momd")
        let command = Command.buildCommand(
            displayName: "Compiling the model \(name)", executable: try context.tool(named: "ModelCompiler").url,
            arguments: [bundle.path, classes.path, compiled.path, target.moduleName, index.path],
            inputFiles: versions(bundle) + [index], outputFiles: [classes, compiled])
        return (command, classes)
    }

    /// The files of a model's bundle.
    private func versions(_ bundle: URL) -> [URL] {
        let entries = (try? FileManager.default.contentsOfDirectory(at: bundle, includingPropertiesForKeys: nil)) ?? []
        return ([bundle.appending(path: ".xccurrentversion")] + entries.map { $0.appending(path: "contents") })
            .filter { FileManager.default.fileExists(atPath: $0.path) }.sorted { $0.path < $1.path }
    }

    private func accessors(
        _ context: PluginContext, _ target: SwiftSourceModuleTarget, _ sources: [URL]
    ) throws -> Command {
        let output = context.pluginWorkDirectoryURL.appending(path: "ManagedAccessors.swift")
        var arguments = [output.path, target.moduleName] + sources.map(\.path)
        var inputs = sources
        for case let imported as SwiftSourceModuleTarget in target.recursiveTargetDependencies
        where imported.moduleName != "CoreData" && !imported.moduleName.hasPrefix("Firn") {
            // What the plugin made for another target is not among that target's sources.
            let files = files(imported) + (Selection(listedIn: imported)?.sources ?? [])
            arguments += ["--imported", imported.moduleName] + files.map(\.path)
            inputs += files
        }
        return .buildCommand(
            displayName: "Bodies for @NSManaged in \(target.moduleName)",
            executable: try context.tool(named: "ManagedAccessors").url, arguments: arguments, inputFiles: inputs,
            outputFiles: [output])
    }

    private func files(_ target: SwiftSourceModuleTarget) -> [URL] {
        let own = target.sourceFiles(withSuffix: "swift").filter { $0.type == .source }.map(\.url)
        return (own + target.pluginGeneratedSources).sorted { $0.path < $1.path }
    }
}

/// The files of a target that are ported.
private struct Selection {
    private(set) var sources: [URL] = []
    private(set) var models: [URL] = []
    private(set) var mappings: [URL] = []

    private static func list(_ target: SwiftSourceModuleTarget) -> URL {
        target.directoryURL.appending(path: "ported-sources.txt")
    }

    init?(listedIn target: SwiftSourceModuleTarget) {
        guard FileManager.default.fileExists(atPath: Self.list(target).path) else { return nil }
        self.init(target)
    }

    init(_ target: SwiftSourceModuleTarget) {
        let list = Self.list(target)
        let text = (try? String(contentsOf: list, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        func url(_ path: Substring) -> URL {
            URL(fileURLWithPath: String(path), relativeTo: target.directoryURL).standardizedFileURL
        }
        let left = lines.filter { $0.hasPrefix("!") }.map { url($0.dropFirst()).path }
        let named = lines.filter { !$0.hasPrefix("!") }.map { url($0[...]) }
        let own = Set(target.sourceFiles.map(\.url.standardizedFileURL.path))
        for url in named.isEmpty ? [target.directoryURL.standardizedFileURL] : named {
            collect(url) { url in
                own.contains(url.path) || left.contains { url.path == $0 || url.path.hasPrefix($0 + "/") }
            }
        }
        sources = Set(sources).sorted { $0.path < $1.path }
        models = Set(models).sorted { $0.path < $1.path }
        mappings = Set(mappings).sorted { $0.path < $1.path }
    }

    private mutating func collect(_ url: URL, isLeftOut: (URL) -> Bool) {
        if isLeftOut(url) { return }
        switch url.pathExtension {
        case "swift": sources.append(url)
        case "xcdatamodeld": models.append(url)
        case "xcmappingmodel": mappings.append(url)
        default:
            let entries = (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
            for entry in entries where !entry.lastPathComponent.hasPrefix(".") {
                collect(entry.standardizedFileURL, isLeftOut: isLeftOut)
            }
        }
    }
}
