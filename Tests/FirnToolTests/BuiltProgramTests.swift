import Foundation
import TestSupport
import Testing

@Suite("Programs that tests run")
struct BuiltProgramTests {
    private let shell = BuiltProgram(url: URL(filePath: "/bin/sh"))

    @Test("are killed if they do not end, and told by name")
    func endless() {
        let error = #expect(throws: BuiltProgram.Endless.self) {
            try shell.run("-c", "while :; do sleep 1; done", limit: 0.1)
        }
        #expect(error?.description.hasPrefix("sh ") == true)
    }

    @Test("are killed with what they started, so that nobody waits for that")
    func group() throws {
        let process = shell.process(["-c", "sleep 600 & echo begun; wait"])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(output.fileHandleForReading.availableData == Data("begun\n".utf8))
        process.killGroup()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
    }
}
