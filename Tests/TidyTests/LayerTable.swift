/// The table of rooms in `Documentation/Architecture.md`: module, what lives there, what it may import.
struct LayerTable {
    /// For each room, the targets and products it may import. System libraries' module maps have a row but import
    /// nothing, so they are left out; so are rows of several words, which are folders.
    private(set) var mayImport: [String: Set<String>] = [:]

    init(_ markdown: String) {
        for line in markdown.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(/\s+/) }
            guard cells.count >= 3, let module = cells[0].firstMatch(of: /^`(\w+)`\s*$/) else {
                continue
            }
            mayImport[String(module.output.1)] = Set(
                cells[2].matches(of: /`(\w+)`/).map { String($0.output.1) })
        }
    }
}
