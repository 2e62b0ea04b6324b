/// The folders of the larger modules, as a page draws them.
enum FolderDrawing {
    static let page = "Documentation/Architecture.md"

    private static let head = "Folders of `"

    /// The page with its drawings as the sources make them. A drawing stands behind a line with the module's name.
    static func made(from page: String, files: [SourceTree.File]) -> String {
        var lines: [Substring] = []
        var isSkipping = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if isSkipping {
                isSkipping = line != "```"
                continue
            }
            lines.append(line)
            guard let module = module(of: line) else { continue }
            let diagram = FolderGraph(module: module, files: files).diagram
            lines += ("\n```mermaid\n" + diagram + "\n```").split(separator: "\n", omittingEmptySubsequences: false)
            isSkipping = true
        }
        return lines.joined(separator: "\n")
    }

    /// The modules that the page draws.
    static func modules(of page: String) -> [String] {
        page.split(separator: "\n").compactMap { module(of: $0) }
    }

    private static func module(of line: Substring) -> String? {
        guard line.hasPrefix(head) else { return nil }
        return line.dropFirst(head.count).split(separator: "`").first.map(String.init)
    }
}
