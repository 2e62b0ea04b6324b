import Foundation
import TestSupport
import Testing

@Suite("A git history as lines")
struct LinesTests {
    @Test("exported, imported into a new store and exported again is the same, and its tables are too")
    func roundTrip() throws {
        let folder = try TemporaryDirectory()
        let (store, copy) = (folder.file("History.sqlite").path, folder.file("Copy.sqlite").path)
        let repository = folder.file("repository").path
        try MadeRepository.make(in: repository, commits: 60, seed: 11)
        #expect(try BuiltProgram("GitHistory").run("--store", store, repository).status == 0)
        let firn = BuiltProgram("firn")
        let lines = try firn.run("export", store).output
        try Data(lines.utf8).write(to: folder.file("lines"))
        let result = try firn.run("import-changes", "--model", store, copy, folder.file("lines").path)
        #expect(result.status == 0, "\(result.complaints)")
        #expect(try firn.run("export", copy).output.replacingOccurrences(of: copy, with: store) == lines)
        #expect(try firn.run("as-of", copy, "head").output == firn.run("as-of", store, "head").output)
        #expect(try firn.run("verify", copy).status == 0)
    }
}
