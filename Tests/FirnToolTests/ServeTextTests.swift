import Foundation
import Testing

@Suite("The texts that say how firn-serve is built")
struct ServeTextTests {
    private let command = "swift build -c release --traits Server --product firn-serve"

    @Test(
        "give the same command, and no other",
        arguments: [
            "Documentation/Serving.md", "Tools/demo", "Tools/firn/Serve.swift", "Tools/firn-serve/FirnServe.swift",
        ])
    func same(_ path: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let lines = try String(contentsOf: root.appending(path: path), encoding: .utf8).split(separator: "\n")
        let commands = lines.filter { $0.contains("--traits Server") }
        #expect(!commands.isEmpty)
        #expect(commands.allSatisfy { $0.contains(command) }, "\(commands)")
    }
}
