import FirnInspection
import Foundation
import Synchronization

/// The terminal as a full-screen program uses it: keys as they are pressed, the whole screen to draw on. What it was
/// before comes back with `restore`.
final class Terminal {
    enum Key: Equatable {
        case up, down, left, right, pageUp, pageDown, home, end, enter, escape, backspace
        case character(Character)
        /// The terminal has another size now.
        case resized
        /// The program is asked to end.
        case quit
    }

    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private var saved = termios()
    private static let isAskedToEnd = Atomic(false)
    /// How long the rest of a key's escape sequence may take, in nanoseconds.
    private static let escapeTimeout = 50_000_000

    /// Throws unless both standard input and output are a terminal.
    init() throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &saved) == 0 else {
            throw Failure("firn browse needs a terminal; firn log and firn show write the same to files and pipes")
        }
        var raw = saved
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        // Signals come while a key is waited for, and end the wait; one that came before ends the next wait at once.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGWINCH, SIGTERM, SIGHUP, SIGINT] { sigaddset(&signals, number) }
        sigprocmask(SIG_BLOCK, &signals, nil)
        signal(SIGWINCH) { _ in }
        for number in [SIGTERM, SIGHUP, SIGINT] {
            signal(number) { _ in Terminal.isAskedToEnd.store(true, ordering: .relaxed) }
        }
        write("\u{1B}[?1049h\u{1B}[?25l")
    }

    func restore() {
        write("\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
    }

    /// 80 × 24 where the terminal does not say.
    var size: Size {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    func draw(_ lines: [String]) {
        write("\u{1B}[H" + lines.map { $0 + "\u{1B}[0m\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Waits for a key, or a change of the size.
    func key() -> Key {
        guard let byte = byte(timeout: nil) else {
            return Self.isAskedToEnd.load(ordering: .relaxed) ? .quit : .resized
        }
        switch byte {
        case 0x1B: return escapeSequence()
        case 0x0D, 0x0A: return .enter
        case 0x03, 0x04: return .quit
        case 0x08, 0x7F: return .backspace
        default: return .character(character(byte))
        }
    }

    /// The character that begins with a byte, in UTF-8.
    private func character(_ first: UInt8) -> Character {
        var bytes = [first]
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
        while bytes.count < count, let next = byte(timeout: Self.escapeTimeout) { bytes.append(next) }
        return String(decoding: bytes, as: UTF8.self).first ?? "\u{FFFD}"
    }

    private func escapeSequence() -> Key {
        guard let second = byte(timeout: Self.escapeTimeout) else { return .escape }
        guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return .escape }
        var parameter: [UInt8] = []
        while let byte = byte(timeout: Self.escapeTimeout) {
            guard byte >= 0x40 else {
                parameter.append(byte)
                continue
            }
            switch (byte, String(decoding: parameter, as: UTF8.self)) {
            case (UInt8(ascii: "A"), _): return .up
            case (UInt8(ascii: "B"), _): return .down
            case (UInt8(ascii: "C"), _): return .right
            case (UInt8(ascii: "D"), _): return .left
            case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"): return .home
            case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"): return .end
            case (UInt8(ascii: "~"), "5"): return .pageUp
            case (UInt8(ascii: "~"), "6"): return .pageDown
            default: return .character("\0")
            }
        }
        return .escape
    }

    /// Nil when a signal came, or after this number of nanoseconds; the end of the input asks to end.
    private func byte(timeout: Int?) -> UInt8? {
        var input = fd_set()
        withUnsafeMutableBytes(of: &input) { $0[0] = 1 << STDIN_FILENO }
        var none = sigset_t()
        sigemptyset(&none)
        var limit = timespec(tv_sec: 0, tv_nsec: timeout ?? 0)
        let count = withUnsafePointer(to: &limit) {
            pselect(STDIN_FILENO + 1, &input, nil, nil, timeout == nil ? nil : $0, &none)
        }
        guard count > 0 else { return nil }
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1 else {
            Self.isAskedToEnd.store(true, ordering: .relaxed)
            return nil
        }
        return byte
    }

    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
