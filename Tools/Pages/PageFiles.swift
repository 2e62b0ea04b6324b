/// The files that a page lets its reader write, as they are after the blocks that were read.
package struct PageFiles: Sendable {
    package private(set) var texts: [String: String] = [:]

    package init() {}

    package init(_ page: Page) {
        for block in page.blocks { _ = apply(block) }
    }

    /// Applies `file:` (the whole file) or `insert:` (before the file's line `default:`). Nil for another block.
    package mutating func apply(_ block: Page.Block) -> (file: String, text: String)? {
        if let file = block.argument(of: "file") {
            texts[file] = block.text
            return (file, block.text)
        }
        guard let file = block.argument(of: "insert"), let old = texts[file] else { return nil }
        guard let place = old.firstRange(of: /\n *default:/) else { return nil }
        let text = old[..<place.lowerBound] + "\n" + block.text + old[place].dropFirst() + old[place.upperBound...]
        texts[file] = String(text)
        return (file, String(text))
    }
}
