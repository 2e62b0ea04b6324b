import Foundation
import Testing

/// A source text as the macros leave it, and what they report: the macros' own program is asked, as a compiler asks it.
struct MacroExpansion {
    /// `Tools/swiftdata-test` gives the place of the program.
    static let program = ProcessInfo.processInfo.environment["FIRN_MACROS"]

    let text: String
    /// A line for each diagnostic, `line:column: severity: message`, and an indented one for each fix-it.
    let report: String

    init(_ source: String) throws {
        // Files, and no pipes: Foundation stops the program if a read of a pipe is interrupted by a signal.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["source.swift", "text", "report"].map { folder.appendingPathComponent($0) }
        for file in files { try Data(file == files[0] ? Array(source.utf8) : []).write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.program))
        process.arguments = ["--expand", files[0].path]
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        text = try String(contentsOf: files[1], encoding: .utf8)
        report = try String(contentsOf: files[2], encoding: .utf8)
    }

    /// The expansion of a class `A` with these members.
    static func model(_ members: String) throws -> MacroExpansion {
        try MacroExpansion("@Model final class A {\n\(members)\n    init() {}\n}\n")
    }
}
