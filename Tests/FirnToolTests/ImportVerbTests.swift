import Foundation
import TestSupport
import Testing

@Suite("firn import", .needsCorpus)
struct ImportVerbTests {
    private let firn = BuiltProgram("firn")
    private let folder: TemporaryDirectory
    private let old: URL
    private let bundle: URL

    init() throws {
        folder = try TemporaryDirectory()
        old = Corpus.url("stores/duckduckgo__BrowserServicesKit/Bookmarks_V5.sqlite")
        bundle = Corpus.url("models/duckduckgo__BrowserServicesKit/BookmarksModel.xcdatamodeld")
    }

    @Test("makes a store that the other verbs read, and says what it holds")
    func whole() throws {
        let store = folder.file("New.sqlite").path
        let result = try firn.run("import", old.path, store, "--json")
        #expect(result.status == 0)
        #expect(result.output.contains("\"uuid\":\"729EA06D-F512-407C-A56C-326316BFB40E\""))
        #expect(result.output.contains("\"objects\":{\"BookmarkEntity\":10},\"links\":5"))
        #expect(try firn.run("verify", store).status == 0)
    }

    @Test("takes the version of a bundle that fits")
    func bundleVersion() throws {
        let result = try firn.run("import", old.path, folder.file("New.sqlite").path, "--model", bundle.path)
        #expect(result.status == 0, "\(result.complaints)")
        #expect(result.lines.first?.contains("10 objects, 5 links, 0 external values, no history") == true)
    }

    @Test("refuses another model in one line")
    func wrongModel() throws {
        let other = Corpus.url("models/owntracks__ios/Model.xcdatamodeld")
        let result = try firn.run("import", old.path, folder.file("New.sqlite").path, "--model", other.path)
        #expect(result.status == 2)
        #expect(result.complaints.contains("the store was not written with this model"))
        #expect(result.complaints.split(separator: "\n").count == 1)
    }
}
