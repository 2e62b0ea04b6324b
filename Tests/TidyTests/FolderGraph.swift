/// Which folders of a module name types that other folders declare.
///
/// A name that two folders declare, such as a nested `State`, makes no edge.
struct FolderGraph {
    /// By folder, the folders whose types it names, with those names.
    private(set) var edges: [String: [String: Set<String>]] = [:]

    /// All folders of the module.
    let folders: Set<String>

    /// `files` may be those of all modules.
    init(module: String, files: [SourceTree.File]) {
        let prefix = "Sources/\(module)/"
        var homes: [Substring: Set<String>] = [:]
        let own = files.filter { $0.path.hasPrefix(prefix) }.map { file in
            let folder = Self.folder(of: file.path.dropFirst(prefix.count))
            let code = SwiftText.code(of: file.text)
            for name in Self.declarations(code) { homes[name, default: []].insert(folder) }
            return (folder: folder, words: Self.words(code))
        }
        folders = Set(own.map(\.folder))
        for (folder, words) in own {
            for word in Set(words) {
                guard let home = homes[word], home.count == 1, let other = home.first, other != folder else { continue }
                edges[folder, default: [:]][other, default: []].insert(String(word))
            }
        }
    }

    private static let keywords: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]

    /// The first folder of a path within a module; a dot for a file in none.
    private static func folder(of path: Substring) -> String {
        path.firstIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// The names of the types that code declares.
    private static func declarations(_ code: String) -> [Substring] {
        let tokens = code.split(whereSeparator: \.isWhitespace)
        return tokens.indices.dropLast().compactMap { index in
            // import class FirnFoundation.NSPredicate
            guard keywords.contains(tokens[index]), index == 0 || tokens[index - 1] != "import",
                let name = words(String(tokens[index + 1])).first, name.first?.isUppercase == true
            else { return nil }
            return name
        }
    }

    private static func words(_ code: String) -> [Substring] {
        code.utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: true
            }
        }.map { Substring($0) }
    }

    private func reachable(from folder: String) -> Set<String> {
        var found: Set<String> = []
        var waiting = [folder]
        while let next = waiting.popLast() {
            for other in edges[next, default: [:]].keys where found.insert(other).inserted { waiting.append(other) }
        }
        return found
    }

    /// The folders of the largest circle, sorted; empty if there is none.
    var largestCircle: [String] {
        let reach = Dictionary(uniqueKeysWithValues: edges.keys.map { ($0, reachable(from: $0)) })
        let circles = edges.keys.map { folder in
            reach[folder, default: []].filter { reach[$0, default: []].contains(folder) }.sorted()
        }
        return circles.max { $0.count < $1.count } ?? []
    }

    /// The folders, those of a circle together.
    private var groups: [[String]] {
        var groups: [[String]] = []
        for folder in folders.subtracting(["."]).sorted() where !groups.contains(where: { $0.contains(folder) }) {
            let circle = reachable(from: folder).filter { reachable(from: $0).contains(folder) }
            groups.append(circle.union([folder]).sorted())
        }
        return groups
    }

    /// The graph for a page: an arrow for what a folder names, without those that follow from others. The folders of a
    /// circle share a box.
    var diagram: String {
        let groups = groups
        let below = groups.map { group in
            let reached = group.reduce(into: Set<String>()) { $0.formUnion(reachable(from: $1)) }
            return Set(groups.indices.filter { groups[$0] != group && !reached.isDisjoint(with: groups[$0]) })
        }
        let ids = groups.map { $0.joined() }
        let boxes = groups.indices.filter { groups[$0].count > 1 }.map { index in
            "    \(ids[index])[\"\(groups[index].joined(separator: " ⟷ "))\"]"
        }
        let arrows = groups.indices.compactMap { index -> String? in
            let next = below[index].filter { other in !below[index].contains { below[$0].contains(other) } }
            if next.isEmpty {
                return groups[index].count == 1 && !below.contains { $0.contains(index) } ? "    \(ids[index])" : nil
            }
            return "    \(ids[index]) --> \(next.sorted().map { ids[$0] }.joined(separator: " & "))"
        }
        return (["flowchart BT"] + boxes + arrows).joined(separator: "\n")
    }
}
