import Foundation

/// A Markdown page as the tools see it: headings, prose and code blocks, in order.
///
/// A comment of HTML on a line of its own says what the next code block is: `CONTRIBUTING.md` lists them.
package struct Page: Sendable {
    package enum Element: Sendable, Equatable {
        case heading(String, level: Int)
        /// A paragraph or an item of a list, without its line breaks.
        case prose(String)
        case cell(String)
        case code(Block)
    }

    package struct Block: Sendable, Equatable {
        package var language: String
        package var lines: [String]
        /// The first line of the code, counted from 1.
        package var line: Int
        /// What the comment before it says, such as `file: Sources/shelf/main.swift`.
        package var directive: String?
        /// Hidden lines that come before the code.
        package var setup: [String] = []

        package var text: String { lines.joined(separator: "\n") + "\n" }

        /// What follows a keyword and a colon in the directive.
        package func argument(of keyword: String) -> String? {
            guard let directive, directive.hasPrefix(keyword + ":") else { return nil }
            return directive.dropFirst(keyword.count + 1).trimmingCharacters(in: .whitespaces)
        }
    }

    package let path: String
    package private(set) var elements: [Element] = []

    package var blocks: [Block] {
        elements.compactMap { if case .code(let block) = $0 { block } else { nil } }
    }

    package init(path: String, text: String) {
        self.path = path
        var reader = PageReader(lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        elements = reader.read()
    }
}

/// Reads a page line by line.
private struct PageReader {
    let lines: [String]
    var index = 0
    var paragraph: [String] = []
    var elements: [Page.Element] = []
    var directive: String?
    var setup: [String] = []

    init(lines: [String]) { self.lines = lines }

    mutating func read() -> [Page.Element] {
        while index < lines.count {
            let line = lines[index]
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("```") {
                endParagraph()
                readCode(trimmed, indent: line.prefix { $0 == " " }.count)
            } else if trimmed.hasPrefix("<!--") {
                endParagraph()
                readComment()
            } else if paragraph.isEmpty, line.hasPrefix("    "), !trimmed.isEmpty {
                index += 1  // indented code
            } else {
                readText(line, trimmed)
            }
        }
        endParagraph()
        return elements
    }

    private mutating func readText(_ line: String, _ trimmed: String) {
        index += 1
        if trimmed.isEmpty || trimmed.hasPrefix("@") || trimmed.hasPrefix("<") { return endParagraph() }
        if let heading = trimmed.wholeMatch(of: #/(\#+) (.*)/#) {
            endParagraph()
            elements.append(.heading(String(heading.output.2), level: heading.output.1.count))
        } else if trimmed.hasPrefix("|") {
            endParagraph()
            guard !trimmed.allSatisfy({ "|-: ".contains($0) }) else { return }
            for cell in trimmed.split(separator: "|") {
                let text = cell.trimmingCharacters(in: .whitespaces)
                if !text.isEmpty { elements.append(.cell(text)) }
            }
        } else if let item = trimmed.wholeMatch(of: #/(?:[-*]|\d+\.) (.*)/#) {
            endParagraph()
            paragraph = [String(item.output.1)]
        } else {
            paragraph.append(trimmed)
        }
    }

    private mutating func endParagraph() {
        if !paragraph.isEmpty { elements.append(.prose(paragraph.joined(separator: " "))) }
        paragraph = []
    }

    private mutating func readCode(_ fence: String, indent: Int) {
        let language = String(fence.drop { $0 == "`" })
        var code: [String] = []
        let first = index + 1
        index += 1
        while index < lines.count, !lines[index].trimmingCharacters(in: .whitespaces).hasPrefix("```") {
            let line = lines[index]
            code.append(String(line.dropFirst(min(indent, line.prefix { $0 == " " }.count))))
            index += 1
        }
        index += 1
        elements.append(
            .code(.init(language: language, lines: code, line: first + 1, directive: directive, setup: setup)))
        directive = nil
        setup = []
    }

    /// One line is a directive; more lines are hidden code, whose first line has a word only.
    private mutating func readComment() {
        let first = lines[index].trimmingCharacters(in: .whitespaces).dropFirst(4)
        index += 1
        if first.hasSuffix("-->") {
            directive = first.dropLast(3).trimmingCharacters(in: .whitespaces)
            return
        }
        while index < lines.count, lines[index].trimmingCharacters(in: .whitespaces) != "-->" {
            setup.append(lines[index])
            index += 1
        }
        index += 1
    }
}
