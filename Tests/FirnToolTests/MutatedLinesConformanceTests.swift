import Foundation
import TestSupport
import Testing

/// Damaged lines of `firn export`, and damaged checkpoints.
@Suite("Mutated lines for the tool")
struct MutatedLinesConformanceTests {
    private let firn = BuiltProgram("firn")
    private let store: SampleStore

    init() throws { store = try SampleStore() }

    /// A run ends with 0, 1 or 2, and with words unless 0; a crash ends with another status.
    private func check(_ result: BuiltProgram.Result, _ mutations: Mutations) throws {
        #expect((0...2).contains(result.status), "\(mutations): \(result.complaints)")
        #expect(result.status == 0 || result.complaints.hasPrefix("firn: "), "\(mutations): \(result.complaints)")
        struct Refusal: Error {}
        if result.status != 0 { throw Refusal() }
    }

    @Test("m.15 mutations of exported lines are refused with words or imported, and never crash")
    func lines() throws {
        let exported = try firn.run("export", store.path).lines.prefix(3).joined(separator: "\n") + "\n"
        let file = store.folder.file("lines.json")
        let copy = store.folder.file("Copy.sqlite").path
        var mutations = Mutations("exported lines", usualCount: 15)
        let silent = mutations.run { mutations in
            for path in [copy, copy + "-wal", copy + "-shm", copy + "-log"] {
                try? FileManager.default.removeItem(atPath: path)
            }
            try Data(mutations.mutated(Array(exported.utf8))).write(to: file)
            let result = try firn.run("import-changes", "--model", store.path, copy, file.path)
            if result.status == 0 { #expect(try firn.run("verify", copy).status == 0, "\(mutations)") }
            try check(result, mutations)
        }
        #expect(silent == [])
    }
}
