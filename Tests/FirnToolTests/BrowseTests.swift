import FirnLog
import Foundation
import TestSupport
import Testing

/// A terminal of 80 × 24 that a test looks at and types into.
/// Source: https://man7.org/linux/man-pages/man4/pts.4.html; the C functions for it are not in Swift's Glibc.
private final class PseudoTerminal {
    /// `TIOCSPTLCK` of Linux: 0 unlocks the other end.
    private static let setLock: UInt = 0x4004_5431
    /// `TIOCGPTN` of Linux: the number of the other end.
    private static let getNumber: UInt = 0x8004_5430

    let process: Process
    private let master: FileHandle
    /// What was drawn and not asked for yet.
    private var drawn = Data()
    /// The program ends each screen by clearing what is below it.
    private static let screenEnd = Data("\u{1B}[J".utf8)

    init(_ program: BuiltProgram, _ arguments: String...) throws {
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var lock: Int32 = 0
        var number: Int32 = 0
        guard descriptor >= 0, ioctl(descriptor, Self.setLock, &lock) == 0,
            ioctl(descriptor, Self.getNumber, &number) == 0
        else { throw POSIXError(.ENODEV) }
        let slave = try #require(FileHandle(forUpdatingAtPath: "/dev/pts/\(number)"))
        master = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        process = program.process(arguments)
        process.standardInput = slave
        process.standardOutput = slave
        resize(columns: 80, rows: 24)
        try process.run()
    }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master.fileDescriptor, UInt(TIOCSWINSZ), &size)
        if process.isRunning { kill(process.processIdentifier, SIGWINCH) }
    }

    func type(_ text: String) { master.write(Data(text.utf8)) }

    /// The next whole screen with `text`; what was drawn last if the program ended without one.
    func screen(showing text: String) -> String {
        while true {
            while let end = drawn.firstRange(of: Self.screenEnd) {
                let screen = String(decoding: drawn[..<end.lowerBound], as: UTF8.self)
                drawn.removeSubrange(..<end.upperBound)
                if screen.contains(text) { return screen }
            }
            let data = master.availableData
            if data.isEmpty { return String(decoding: drawn, as: UTF8.self) }
            drawn += data
        }
    }
}

@Suite("The tool walks through a history on the whole screen", .timeLimit(.minutes(30)))
struct BrowseTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test("it lists records, shows one and its neighbours, fits the terminal when it is resized, and ends")
    func walk() throws {
        let terminal = try PseudoTerminal(firn, "browse", store.path)
        let list = terminal.screen(showing: "quit")
        #expect(list.contains("records 1 to 4") && list.contains("model of 1 entity"))
        #expect(list.components(separatedBy: "\r\n").count == 24)
        terminal.type("\r")
        #expect(terminal.screen(showing: "back").contains("Ada Lovelace"))
        terminal.type("\u{1B}[D")
        #expect(terminal.screen(showing: "record 3 of 4").contains("record 3 of 4"))
        terminal.type("q")
        _ = terminal.screen(showing: "quit")
        terminal.resize(columns: 40, rows: 6)
        #expect(terminal.screen(showing: "Enter").components(separatedBy: "\r\n").count == 6)
        terminal.type("q")
        terminal.process.waitUntilExit()
        #expect(terminal.process.terminationStatus == 0)
    }

    @Test("it searches in every value, and goes to a record")
    func search() throws {
        let terminal = try PseudoTerminal(firn, "browse", store.path)
        _ = terminal.screen(showing: "quit")
        terminal.type("/amazing\r\r")
        #expect(terminal.screen(showing: "record 3 of 4").contains("Grace"))
        terminal.type("/ada\u{7F}a\r")
        #expect(terminal.screen(showing: "record 4 of 4").contains("Ada Lovelace"))
        terminal.type("n")
        _ = terminal.screen(showing: "record 2 of 4")
        terminal.type("N")
        _ = terminal.screen(showing: "record 4 of 4")
        terminal.type("/nobody\r")
        _ = terminal.screen(showing: "no record has")
        terminal.type(":1\r")
        #expect(terminal.screen(showing: "record 1 of 4").contains("model of 1 entity"))
        terminal.type(":9\r")
        _ = terminal.screen(showing: "ends with record 4")
        terminal.type("\u{3}")
        terminal.process.waitUntilExit()
        #expect(terminal.process.terminationStatus == 0)
    }

    @Test("without a terminal it says what to use instead")
    func noTerminal() throws {
        let result = try firn.run("browse", store.path)
        #expect(result.status == 2 && result.complaints.contains("needs a terminal"))
    }
}
