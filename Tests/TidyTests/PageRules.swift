import Pages

/// Rules about pages: how long sentences are, and that what a page quotes is what the files say.
enum PageRules {
    /// Comments that say what the next code block is. `CONTRIBUTING.md` explains them.
    static let words: Set<String> = ["prints", "declarations", "not run", "another terminal", "figures differ"]
    static let keywords = ["file", "insert", "part of"]

    /// A page whose sentences have more than 20 words on average.
    static func ease(_ page: Page) -> [String] {
        let mean = ReadingEase(page).mean
        guard mean > ReadingEase.meanMax else { return [] }
        return ["\(page.path): \((mean * 10).rounded() / 10) words a sentence, \(Int(ReadingEase.meanMax)) at most"]
    }

    static func directives(_ page: Page) -> [String] {
        page.blocks.compactMap { block in
            guard let directive = block.directive, !words.contains(directive),
                !keywords.contains(where: { block.argument(of: $0) != nil })
            else { return nil }
            return "\(page.path):\(block.line): no such mark: \(directive)"
        }
    }

    /// Quoted lines that do not stand in their file in this order. A page's reader has the clone next to the package.
    static func quotations(_ page: Page, file: (String) -> String?) -> [String] {
        page.blocks.compactMap { block in
            guard let path = block.argument(of: "part of") else { return nil }
            guard let text = file(path) else { return "\(page.path):\(block.line): no file \(path)" }
            var rest = text.split(separator: "\n").map(trimmed)[...]
            for line in block.lines.map({ trimmed(Substring($0.replacing("\"../Firn\"", with: "\"../..\""))) })
            where !line.isEmpty {
                guard let index = rest.firstIndex(of: line) else {
                    return "\(page.path):\(block.line): not in \(path): \(line)"
                }
                rest = rest[(index + 1)...]
            }
            return nil
        }
    }

    /// Indentation, and a comma at the end, depend on what surrounds a line.
    private static func trimmed(_ line: Substring) -> Substring {
        var line = line.drop { $0 == " " }
        while let last = line.last, ",)] ".contains(last) { line.removeLast() }
        return line
    }

    /// Files that a page lets its reader write, and that are others in a folder of the package.
    static func files(of page: Page, in folder: String, file: (String) -> String?) -> [String] {
        PageFiles(page).texts.sorted { $0.key < $1.key }.compactMap { name, text in
            let expected = file(folder + "/" + name)
            if expected == text.replacing("\"../Firn\"", with: "\"../..\"") { return nil }
            return "\(page.path): \(name) is not \(folder)/\(name)"
        }
    }

    /// Links to articles that the catalogue does not have.
    static func articles(_ file: SourceTree.File, names: Set<String>) -> [String] {
        file.text.matches(of: /<doc:(\w+)[>#]/).compactMap {
            names.contains(String($0.output.1)) ? nil : "\(file.path): no article \($0.output.1)"
        }
    }
}
