import Foundation

/// What `Package.swift` says of targets: where their files are and what they may import.
///
/// Read from the text, not from the package manager: the manifest's own form (`room`, then plain targets) is
/// part of what is held.
struct Manifest {
    struct Target: Equatable {
        var name: String
        var folder: String
        var dependencies: Set<String>
        var isTest: Bool
        var isPlugin = false
        /// The folders of sources that the plugin `PortedSources` compiles.
        var ported: [String] = []
    }

    var targets: [Target] = []

    init(_ text: String) {
        let text = text.replacing(/\.product\(name: ("\w+"), package: "[\w-]+"\)/) { $0.output.1 }
            .replacing(/served\(("\w+"), "[\w-]+"\)/) { $0.output.1 }
            .replacing(/observed\(("\w+"), "[\w-]+"\)/) { $0.output.1 }
            .replacing(/expanded\(("\w+")\)/) { $0.output.1 }
        let rooms = /room\(\s*"(\w+)",\s*\[([^\]]*)\](?:,\s*tests: \[([^\]]*)\])?\)/
        for match in text.matches(of: rooms) {
            let name = String(match.output.1)
            let dependencies = Self.names(in: match.output.2)
            targets.append(
                Target(
                    name: name, folder: "Sources/" + name, dependencies: dependencies,
                    isTest: false))
            targets.append(
                Target(
                    name: name + "Tests", folder: "Tests/" + name + "Tests",
                    dependencies: dependencies.union([name, "TestSupport"])
                        .union(Self.names(in: match.output.3 ?? "")), isTest: true))
        }
        for match in text.matches(of: /example\("(\w+)"/) {
            let name = String(match.output.1)
            targets.append(
                Target(
                    name: name, folder: "Examples/" + name, dependencies: ["CoreData"],
                    isTest: false))
        }
        let declaration =
            /\.(executableTarget|target|testTarget|plugin|macro)\(\s*name: "([\w-]+)",((?:[^()]|\([^()]*\))*)\)/
        for match in text.matches(of: declaration) {
            let name = String(match.output.2)
            let rest = match.output.3
            let isTest = match.output.1 == "testTarget"
            let path = rest.firstMatch(of: /path: "([^"]+)"/)?.output.1
            // A plugin is declared twice, as a product and as a target; only the target has a folder.
            if match.output.1 == "plugin", path == nil { continue }
            let dependencies = rest.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.output.1 ?? ""
            let folder = path.map(String.init) ?? (isTest ? "Tests/" : "Sources/") + name
            let excluded = rest.firstMatch(of: /exclude: \[([^\]]*)\]/)?.output.1 ?? ""
            let isPorted = rest.contains("plugins: [\"PortedSources\"]")
            targets.append(
                Target(
                    name: name,
                    folder: folder,
                    dependencies: Self.names(in: dependencies),
                    isTest: isTest || ["TestSupport", "StoreSupport", "ServiceTests"].contains(name),
                    isPlugin: match.output.1 == "plugin",
                    ported: isPorted ? Self.names(in: excluded).map { folder + "/" + $0 + "/" } : []))
        }
    }

    /// The target whose folder holds the file.
    func target(of path: String) -> Target? {
        targets.filter { path.hasPrefix($0.folder + "/") }.max { $0.folder.count < $1.folder.count }
    }

    private static func names(in list: Substring) -> Set<String> {
        Set(list.matches(of: /"(\w+)"/).map { String($0.output.1) })
    }
}
