package import Foundation

/// Finds models among the resources of bundles: `.xcdatamodeld` and `.xcdatamodel` folders, as the package manager
/// copies them, and compiled models.
package enum ModelSearch {
    private static let models: Set<String> = ["xcdatamodeld", "xcdatamodel", "momd", "mom"]

    /// The current version of every model in the bundles, or in all bundles that are in use.
    static func currentModels(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        urls(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// Every version of every model in the bundles, or in all bundles that are in use: the last version of a model
    /// first, as most stores have it. A model is read when it is reached.
    static func allVersions(in bundles: [Bundle]?) -> some Sequence<NSManagedObjectModel> {
        urls(in: bundles).lazy.flatMap { url in
            (try? ModelBundle(contentsOf: url).versions.reversed().map(\.url)) ?? [url]
        }
        .compactMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// The models, or other files, directly among the resources of bundles. `Bundle(for:)` gives the main bundle for
    /// every class on Linux, so the main bundle includes the program's resource bundles.
    static func urls(in bundles: [Bundle]?, withExtensions extensions: Set<String> = models) -> [URL] {
        let named = bundles.map { $0.contains(Bundle.main) ? $0 + programBundles : $0 }
        let folders = (named ?? inUse()).flatMap {
            [$0.resourceURL, $0.bundleURL].compactMap { $0 }
        }
        var seen: Set<String> = []
        return folders.flatMap { files(in: $0, extensions) }
            .filter { seen.insert($0.standardizedFileURL.path).inserted }
    }

    static func inUse() -> [Bundle] {
        [Bundle.main] + Bundle.allBundles + neighborBundles.compactMap { Bundle(url: $0) }
    }

    /// The resource bundles in the program's folder. In a build folder these are the bundles of all targets that were
    /// built.
    private static var neighborBundles: [URL] {
        let all =
            (try? FileManager.default.contentsOfDirectory(
                at: Bundle.main.bundleURL, includingPropertiesForKeys: nil)) ?? []
        return all.filter { ["resources", "bundle"].contains($0.pathExtension) }
    }

    /// The main bundle and the program's own resource bundles.
    static var programBundles: [Bundle] {
        let program = Bundle.main.executableURL?.lastPathComponent ?? ""
        return [Bundle.main] + bundles(neighborBundles, ofProgram: program).compactMap { Bundle(url: $0) }
    }

    /// The resource bundles among these that are a program's own. The package manager names them `<package>_<target>`,
    /// a program as its target, and a test program `<package>PackageTests`: that one has the bundles of its package.
    ///
    /// A program without such a bundle may have another name than its target: then all of them may be its own.
    package static func bundles(_ bundles: [URL], ofProgram program: String) -> [URL] {
        let name = program.hasSuffix(".xctest") ? String(program.dropLast(7)) : program
        let tests = "PackageTests"
        let own = bundles.filter { url in
            let bundle = url.deletingPathExtension().lastPathComponent
            if name.hasSuffix(tests) { return bundle.hasPrefix(name.dropLast(tests.count) + "_") }
            return bundle.hasSuffix("_" + name)
        }
        return own.isEmpty ? bundles : own
    }

    private static func files(in folder: URL, _ extensions: Set<String>) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0) }
            .filter { extensions.contains($0.pathExtension) }
    }
}

extension NSManagedObjectModel {
    /// The version of a model in the program's bundles that has this checksum.
    package static func inUse(versionChecksum: String) -> NSManagedObjectModel? {
        ModelSearch.allVersions(in: nil).first { $0.versionChecksum == versionChecksum }
    }
}
