import ArgumentParser
import FirnInspection
import Foundation

/// `firn serve`: runs `firn-serve`, which is a program of its own because most who use the tool need no server.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the changes and the history over HTTP, to programs and to a browser.",
        discussion: """
            Runs firn-serve with the same arguments: the one in the folder of this program, else the first on PATH. \
            'firn serve --help' is answered by it. It is built with

                \(buildCommand)
            """)

    @Argument(parsing: .captureForPassthrough, help: "The store, and options of firn-serve.")
    var arguments: [String] = []

    static let programName = "firn-serve"
    private static let buildCommand = "swift build -c release --traits Server --product firn-serve"

    func run() throws {
        guard let program = Self.candidates.first(where: FileManager.default.isExecutableFile) else {
            throw Failure(
                "there is no \(Self.programName) in the folder of this program or on PATH; build it with: "
                    + Self.buildCommand)
        }
        let words = [program] + arguments
        var pointers = words.map { strdup($0) } + [nil]
        execv(program, &pointers)
        let reason = String(cString: strerror(errno))
        for pointer in pointers { free(pointer) }
        throw Failure("\(program) could not be run: \(reason)")
    }

    private static var candidates: [String] {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = own.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let path = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
        return ([folder].compactMap { $0 } + path).map { $0 + "/" + programName }
    }
}
