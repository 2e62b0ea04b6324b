import Foundation

/// Checks pages: what `Tools/documentation` and `Tools/reading-ease` run.
@main
struct Pages {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("ease", 2...): try ease(Array(words.dropFirst()))
        case ("guides", 3...): try guides(into: words[1], Array(words.dropFirst(2)))
        case ("run", 4): try run(words[1], in: words[2], prelude: words[3])
        default:
            complain("usage: Pages ease PAGE… | guides FOLDER PAGE… | run PAGE FOLDER PRELUDE")
            exit(2)
        }
    }

    private static func page(_ path: String) throws -> Page {
        Page(path: path, text: String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self))
    }

    private static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    /// Prints a line for each page: sentences, words a sentence, sentences that are long.
    private static func ease(_ paths: [String]) throws {
        print("sentences  mean  over \(ReadingEase.wordCountMax)  page")
        for path in paths {
            let ease = ReadingEase(try page(path))
            let count = String(format: "%9d", ease.prose.count)
            let mean = String(format: "%5.1f", ease.mean)
            print("\(count) \(mean) \(String(format: "%8d", ease.long.count))  \(path)")
        }
    }

    private static func guides(into folder: String, _ paths: [String]) throws {
        let program = GuideProgram(try paths.map(page))
        for page in program.pages {
            try write(program.source(of: page), to: "\(folder)/\(GuideProgram.name(of: page)).swift")
        }
        try write(program.main, to: folder + "/main.swift")
    }

    /// Leaves a file alone that has this text, so that it is not compiled again.
    private static func write(_ text: String, to path: String) throws {
        let url = URL(filePath: path)
        if let old = try? Data(contentsOf: url), old == Data(text.utf8) { return }
        try Data(text.utf8).write(to: url)
    }

    private static func run(_ path: String, in folder: String, prelude: String) throws {
        let findings = try PageRun(page: page(path), folder: URL(filePath: folder), prelude: prelude).findings()
        if findings.isEmpty { return print("\(path): every command prints what the page says") }
        for finding in findings { complain(finding) }
        exit(1)
    }
}
