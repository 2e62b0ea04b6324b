import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool refuses lines that no store could hold")
struct ImportMistakeTests {
    private let firn = BuiltProgram("firn")
    private let folder: TemporaryDirectory
    private var copy: String { folder.file("Copy.sqlite").path }

    /// Author.books ⟷ Book.author; Book.tags ⟷ Tag.books.
    init() throws {
        folder = try TemporaryDirectory()
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Author" representedClassName="NSManagedObject">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
                        inverseName="author" inverseEntity="Book"/>
                </entity>
                <entity name="Book" representedClassName="NSManagedObject">
                    <attribute name="pages" optional="YES" attributeType="Integer 32"/>
                    <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author"
                        inverseName="books" inverseEntity="Author"/>
                    <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag"
                        inverseName="books" inverseEntity="Tag"/>
                </entity>
                <entity name="Tag" representedClassName="NSManagedObject">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
                        inverseName="tags" inverseEntity="Book"/>
                </entity>
            </model>
            """
        let model = folder.file("Books.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(document.utf8).write(to: model.appendingPathComponent("contents"))
        let result = try importing(
            Data((line(entity: "Book", key: 1, "{}") + "\n" + line(entity: "Tag", key: 1, "{}") + "\n").utf8),
            "--model", model.path)
        #expect(result.status == 0, "\(result.complaints)")
    }

    private func importing(_ lines: Data, _ arguments: String...) throws -> BuiltProgram.Result {
        try lines.write(to: folder.file("lines.json"))
        return try firn.run(["import-changes"] + arguments + [copy, folder.file("lines.json").path])
    }

    @Test("a file that cannot be read is not taken for one without lines")
    func unreadable() throws {
        let result = try firn.run("import-changes", copy, folder.url.path)
        #expect(result.status == 2 && result.complaints.contains("cannot be read"), "\(result.complaints)")
    }

    private func line(
        entity: String, key: Int, _ after: String, date: String = #""ts_us":1500"#, source: String = ""
    ) -> String {
        #"{"op":"c","before":null,"after":\#(after),"source":{"sequence":2,"entity":"\#(entity)","key":\#(key)"#
            + source + "},\(date)}"
    }

    private func link(_ source: String, _ destination: String, of relationship: String = "Book.tags") -> String {
        #"{"op":"c","before":null,"after":{"source":"\#(source)","destination":"\#(destination)"},"#
            + #""source":{"sequence":2,"relationship":"\#(relationship)"},"ts_us":1500}"#
    }

    private func expectRefused(_ lines: String, _ words: String) throws {
        let result = try importing(Data((lines + "\n").utf8))
        #expect(result.status == 2, "\(lines)")
        #expect(result.complaints.contains("line 1: "), "\(result.complaints)")
        #expect(result.complaints.contains(words), "\(result.complaints)")
        #expect(try firn.run("log", "--json", copy).lines.count == 2)
        #expect(try firn.run("verify", copy).status == 0)
    }

    @Test("Members that lines name without their objects are changes of both, as a save writes them")
    func linked() throws {
        let line = link("Book/1", "Tag/1").replacing("ce\":2,\"", with: "ce\":3,\"")
        let result = try importing(Data((line + "\n").utf8))
        #expect(result.status == 0, "\(result.complaints)")
        for (object, property) in [("Book/1", "tags"), ("Tag/1", "books")] {
            let lines = try firn.run("log", "--json", "--object", object, copy).lines
            #expect(lines.count == 2, "\(object)")
            let blame = try firn.run("blame", "--json", copy, "\(object).\(property)").lines
            #expect(blame.count == 1, "\(object)")
        }
    }

    @Test("a reference to an object of another entity than the relationship leads to")
    func reference() throws {
        try expectRefused(line(entity: "Book", key: 2, #"{"author":"Tag/1"}"#), "no value of Book.author")
    }

    @Test(
        "a link between objects of other entities, or of a relationship that has none",
        arguments: [
            ["Tag/1", "Book/1", "Book.tags"], ["Book/1", "Author/1", "Book.author"], ["Tag/1", "Book/1", "Tag.books"],
        ])
    func links(_ words: [String]) throws {
        try expectRefused(link(words[0], words[1], of: words[2]), "it does not name the two objects of a link")
    }

    @Test("a number that its attribute has no room for")
    func number() throws {
        try expectRefused(line(entity: "Book", key: 2, #"{"pages":1099511627776}"#), "no value of Book.pages")
    }

    @Test("an object that is inserted twice by one change set")
    func twice() throws {
        let once = line(entity: "Tag", key: 7, "{}")
        try expectRefused(once + "\n" + once, "does not fit the store")
    }

    @Test("a date past the year 9999, which would be that of all later saves", arguments: ["ts_us", "ts_ms"])
    func date(_ name: String) throws {
        try expectRefused(line(entity: "Tag", key: 7, "{}", date: "\"\(name)\":9223372036854775807"), "of no year")
    }

    @Test(
        "an author, a context or metadata that are no texts",
        arguments: [#""author":5"#, #""context":[]"#, #""metadata":{"a":1}"#, #""metadata":[]"#])
    func source(_ part: String) throws {
        try expectRefused(line(entity: "Tag", key: 7, "{}", source: "," + part), "its source.")
    }

    @Test("bytes that are no UTF-8")
    func bytes() throws {
        var bytes = Data(line(entity: "Tag", key: 7, #"{"name":"?"}"#).utf8)
        bytes[try #require(bytes.firstIndex(of: UInt8(ascii: "?")))] = 0xFF
        let result = try importing(bytes)
        #expect(result.status == 2)
        #expect(result.complaints.contains("line 1: it is no UTF-8"), "\(result.complaints)")
    }
}
