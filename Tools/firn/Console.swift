import FirnInspection
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

    /// `text` in a colour, made printable.
    static func styled(_ text: String, _ style: Style) -> String {
        let safe = printable(text)
        return isColored && !safe.isEmpty ? "\u{1B}[\(style.rawValue)m\(safe)\u{1B}[0m" : safe
    }

    /// `text` with spaces to `width` columns; on the left if it is a number. A longer text is cut, with an ellipsis.
    static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let safe = printable(text)
        guard safe.count <= width else { return safe.prefix(max(0, width - 1)) + "…" }
        let space = String(repeating: " ", count: width - safe.count)
        return right ? space + safe : safe + space
    }

    /// `text` without what could move a terminal's cursor, change its colours or reverse its lines: control characters
    /// are shown by their pictures, `␊` for a line break.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isUnsafe($0) }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isUnsafe($0) ? picture(of: $0) : $0 }))
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }

    private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x2028, 0x2029: "\u{2424}"
        default: "\u{FFFD}"
        }
    }

    /// Several lines, each made printable.
    static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
            .joined(separator: "\n")
    }

    /// Writes to standard error. What cannot be written there has no other place.
    static func writeError(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    private static let complaintMax = 2000

    static func complain(_ message: String) {
        let line = printable(message.split(separator: "\n").joined(separator: " "))
        writeError("firn: " + (line.count > complaintMax ? line.prefix(complaintMax) + "…" : line) + "\n")
    }

    /// Writes to standard output. Where that is not possible the tool ends: a script would take a part of what it says
    /// for the whole. A reader that has gone needs no message.
    static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&output, 1, -1)
            } else if errno != EINTR {
                if errno != EPIPE { complain("standard output cannot be written: \(String(cString: strerror(errno)))") }
                exit(Failure.Status.unusable.rawValue)
            }
        }
    }

    /// Puts something in the place of standard input, output and error if they were closed: else the next file that is
    /// opened, one of a store perhaps, gets their number and what is printed.
    static func openStandardFiles() {
        for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) == -1 {
            // Writing there fails, as it would without.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}

/// Lines for standard output, written together.
struct Output {
    private var buffer = ""
    private(set) var isEmpty = true
    private static let sizeMax = 64 * 1024

    mutating func line(_ text: String) {
        isEmpty = false
        buffer += text
        buffer += "\n"
        if buffer.utf8.count >= Self.sizeMax { flush() }
    }

    /// Writes a JSON object in a line of its own.
    mutating func line(_ object: JSONObject) { line(object.line) }

    /// Writes names and their values, the names in a column.
    mutating func pairs(_ pairs: [(name: String, value: String)], width: Int = 12) {
        for (name, value) in pairs {
            line(Console.styled(Console.padded(name, width), .dim) + "  " + Console.printable(value))
        }
    }

    /// Writes one result: as a JSON object, or in lines for a person.
    static func write(_ object: JSONObject, asJSON: Bool, _ lines: [String?]) {
        var output = Output()
        if asJSON { output.line(object) } else { for case let line? in lines { output.line(line) } }
        output.flush()
    }

    /// To be called at the end, and whenever the reader should see what there is.
    mutating func flush() {
        guard !buffer.isEmpty else { return }
        Console.write(buffer)
        buffer = ""
    }

    /// Ends the output. If there was none, a line on standard error says why.
    mutating func finish(orSay nothing: @autoclosure () -> String) {
        if isEmpty { Console.complain("note: " + nothing()) }
        flush()
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
        Console.writeError("\r\(what) \(done) of \(total)  \(percent) %\u{1B}[K")
    }

    func finish() {
        if isShown { Console.writeError("\r\u{1B}[K") }
    }
}
