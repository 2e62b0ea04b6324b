import Foundation

/// A process of this program that answers by lines.
final class OtherProcess: @unchecked Sendable {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var read = Data()

    init(_ arguments: String...) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Answers in the other process.
    static func answer(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// The next line, once it is there.
    func line() -> String {
        while true {
            if let end = read.firstIndex(of: 10) {
                defer { read = Data(read[(end + 1)...]) }
                return String(decoding: read[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { fatalError("the other process ended") }
            read += more
        }
    }

    /// The next line as a number.
    func number() -> UInt64 {
        let line = line()
        guard let number = UInt64(line) else { fatalError("the other process answered '\(line)'") }
        return number
    }
}

/// A clock that all processes share. https://man7.org/linux/man-pages/man2/clock_gettime.2.html
enum Monotonic {
    /// In nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
