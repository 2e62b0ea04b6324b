/// Rules about one file's text. Each gives a line for each place that breaks it.
enum TextRules {
    static let lineCountMax = 400
    static let columnCountMax = 120

    /// Files that are longer than `lineCountMax`, with their length. The list only shrinks: a file may not grow
    /// past its number, and leaves the list when it is short enough.
    static let longFiles: [String: Int] = [:]

    static func length(_ file: SourceTree.File, longFiles: [String: Int] = longFiles) -> [String] {
        let count = file.lines.count
        if let allowed = longFiles[file.path] {
            if count > allowed { return ["\(file.path): \(count) lines, was \(allowed)"] }
            if count <= lineCountMax {
                return ["\(file.path): \(count) lines, take it off the list of long files"]
            }
            return []
        }
        return count > lineCountMax ? ["\(file.path): \(count) lines, \(lineCountMax) at most"] : []
    }

    static func lines(_ file: SourceTree.File) -> [String] {
        var findings: [String] = []
        if !file.text.isEmpty, !file.text.hasSuffix("\n") {
            findings.append("\(file.path): does not end with a line break")
        }
        for (index, line) in file.lines.enumerated()
        where line.utf8.count > columnCountMax && line.count > columnCountMax {
            findings.append(
                "\(file.path):\(index + 1): \(line.count) columns, \(columnCountMax) at most")
        }
        return findings
    }

    /// The types of errors in Sources that others see and that give no localized description.
    static func silentErrors(_ files: [SourceTree.File]) -> [String] {
        let declaration = /(?:public|package) (?:struct|enum|final class) (\w+): [^{]*\bError\b/
        let conformance = /extension [\w.]*?(\w+): (?:\w+, )*LocalizedError/
        let sources = files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }
        let told = Set(sources.flatMap { $0.text.matches(of: conformance).map { $0.output.1 } })
        return sources.flatMap { file in
            file.text.matches(of: declaration).map { $0.output.1 }.filter { !told.contains($0) }
                .map { "\(file.path): \($0) is no LocalizedError" }
        }
    }

    /// Absolute paths of somebody's machine.
    static func machinePaths(_ file: SourceTree.File) -> [String] {
        let place = /(?:^|[\s"'`(=:<])\/(?:home|root|work|Users|opt)\//
        return file.lines.enumerated().compactMap { index, line in
            guard line.utf8.contains(UInt8(ascii: "/")), line.contains(place) else { return nil }
            return "\(file.path):\(index + 1): a path of one machine"
        }
    }

    /// Relative links of a Markdown page whose file does not exist. Links inside code are no links.
    static func deadLinks(_ file: SourceTree.File, exists: (String) -> Bool) -> [String] {
        let folder = file.path.split(separator: "/").dropLast()
        var isInFence = false
        var findings: [String] = []
        for (index, line) in file.lines.enumerated() {
            if line.trimmingPrefix(/\s+/).hasPrefix("```") { isInFence.toggle() }
            guard !isInFence, line.contains("](") else { continue }
            let prose = line.replacing(/`[^`]*`/, with: "`")
            for match in prose.matches(of: /\]\(<?([^)\s>]*)>?[^)]*\)/) {
                let link = match.output.1.prefix { $0 != "#" }
                if link.isEmpty || link.contains(":") { continue }
                let parts = folder + link.split(separator: "/")
                if !exists(parts.joined(separator: "/")) {
                    findings.append("\(file.path):\(index + 1): no file \(link)")
                }
            }
        }
        return findings
    }
}
