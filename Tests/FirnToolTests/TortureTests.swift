import Foundation
import TestSupport
import Testing

@Suite("Processes that save and follow while they are killed")
struct TortureTests {
    /// `Tools/torture` is the long form.
    @Test("lose nothing that was acknowledged, and miss and repeat no record")
    func processes() throws {
        let folder = try TemporaryDirectory()
        let seed = SeededGenerator().seed % 1_000_000
        let result = try BuiltProgram("Torture").run(
            "run", folder.url.path, BuiltProgram("firn").url.path, "4", "\(seed)")
        #expect(result.status == 0, "seed \(seed): \(result)")
        #expect(result.output.contains("all held"))
        #expect(!result.complaints.contains("*** "), "one of them crashed: \(result.complaints)")
    }
}
