import Foundation

/// Standard output and error, with colour where a person looks at it.
enum Console {
    /// Whether standard output is a terminal that may be coloured. https://no-color.org
    static let isColored =
        isatty(STDOUT_FILENO) == 1
        && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    enum Style: String {
        case dim = "2"
        case bold = "1"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    static func styled(_ text: String, _ style: Style) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// `text` with spaces to `width` columns; on the left if it is a number. A longer text is cut, with an ellipsis.
    static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let safe = printable(text)
        guard safe.count <= width else { return safe.prefix(max(0, width - 1)) + "…" }
        let space = String(repeating: " ", count: width - safe.count)
        return right ? space + safe : safe + space
    }

    /// `text` without what could move a terminal's cursor or change its colours.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.properties.generalCategory == .control ? "\u{FFFD}" : $0
                }))
    }

    /// Several lines, each made printable.
    static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
            .joined(separator: "\n")
    }

    static func complain(_ message: String) {
        let line = printable(message.split(separator: "\n").joined(separator: " "))
        FileHandle.standardError.write(Data("firn: \(line)\n".utf8))
    }
}

/// Lines for standard output, written together.
struct Output {
    private var buffer = ""
    private static let sizeMax = 64 * 1024

    mutating func line(_ text: String) {
        buffer += text
        buffer += "\n"
        if buffer.utf8.count >= Self.sizeMax { flush() }
    }

    /// To be called at the end, and whenever the reader should see what there is.
    mutating func flush() {
        guard !buffer.isEmpty else { return }
        FileHandle.standardOutput.write(Data(buffer.utf8))
        buffer = ""
    }
}

/// How far a long walk has come, on a terminal only.
struct Progress {
    let what: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private var drawn = ContinuousClock.now

    init(_ what: String) { self.what = what }

    mutating func update(_ done: UInt64, of total: UInt64) {
        guard isShown, ContinuousClock.now - drawn > .milliseconds(100) else { return }
        drawn = ContinuousClock.now
        let percent = total > 0 ? min(100, done * 100 / total) : 100
        FileHandle.standardError.write(
            Data("\r\(what) \(done) of \(total)  \(percent) %\u{1B}[K".utf8))
    }

    func finish() {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}
