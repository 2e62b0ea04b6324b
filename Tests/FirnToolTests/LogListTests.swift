import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool lists the records that are asked for")
struct LogListTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    private func sequences(_ arguments: String...) throws -> [Int] {
        let result = try firn.run(["log", "--json"] + arguments + [store.path])
        #expect(result.status == 0, "\(result.complaints)")
        return try result.lines.map {
            let object = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            return try #require(object?["sequence"] as? Int)
        }
    }

    @Test("newest first, or oldest first, up to a limit")
    func order() throws {
        #expect(try sequences() == [4, 3, 2, 1])
        #expect(try sequences("--limit", "2") == [4, 3])
        #expect(try sequences("--oldest-first", "--limit", "2") == [1, 2])
        #expect(try sequences("--limit", "0").isEmpty)
    }

    @Test("between two points, given as numbers, dates or head")
    func range() throws {
        #expect(try sequences("--from", "2", "--until", "3") == [3, 2])
        #expect(try sequences("--after", "2") == [4, 3])
        #expect(try sequences("--after", "head").isEmpty)
        #expect(try sequences("--from", "head") == [4])
        #expect(try sequences("--from", "2023-11-14T22:13:20.123456Z") == [4, 3, 2, 1])
        #expect(try sequences("--from", "2023-11-14T22:13:20.123457Z").isEmpty)
        #expect(try sequences("--until", "2023-11-14T22:13:20.123455Z").isEmpty)
        #expect(try sequences("--from", "3", "--until", "2").isEmpty)
    }

    @Test("of an author, by a part of the name in any case")
    func author() throws {
        #expect(try sequences("--author", "PORT") == [3])
        #expect(try sequences("--author", "TEST") == [4, 2, 1])
        #expect(try sequences("--author", "nobody").isEmpty)
    }

    @Test("of an entity")
    func entity() throws {
        #expect(try sequences("--entity", "Person") == [4, 3, 2])
        #expect(try sequences("--entity", "Person", "--oldest-first", "--limit", "1") == [2])
    }

    @Test("of a trimmed log those that are left; records that are gone are an error")
    func trimmed() throws {
        _ = try firn.run("trim", "--keep", "2", store.path)
        #expect(try sequences() == [4, 3])
        #expect(try sequences("--after", "0") == [4, 3])
        #expect(try sequences("--after", "2", "--oldest-first") == [3, 4])
        #expect(try firn.run("log", "--after", "1", store.path).complaints.contains("were trimmed"))
        #expect(try firn.run("show", store.path, "2").complaints.contains("records 3 to 4"))
    }

    @Test("show and export take dates and head")
    func points() throws {
        #expect(try firn.run("show", "--json", store.path, "head").output.hasPrefix(#"{"sequence":4,"#))
        #expect(try firn.run("show", "--json", store.path, "2100-01-01").output.hasPrefix(#"{"sequence":4,"#))
        #expect(try firn.run("export", "--after", "head", store.path).output == "")
        #expect(try firn.run("export", "--after", "1970-01-02", store.path).lines.count == 4)
        #expect(try firn.run("tail", "--json", "--after", "head", store.path).output == "")
        #expect(try firn.run("verify", "--since", "head", store.path).status == 0)
        #expect(try firn.run("verify", "--since", "2100-01-01", store.path).status == 0)
    }

    @Test("replicate until a record copies no later one, until head what there is")
    func replicate() throws {
        let copy = store.folder.file("Copy.sqlite").path
        let result = try firn.run("replicate", "--json", "--until", "3", store.path, copy)
        #expect(result.output == #"{"log":"\#(copy)","head":3}"# + "\n", "\(result.complaints)")
        #expect(try firn.run("log", "--json", copy).lines.count == 3)
        #expect(try firn.run("replicate", "--until", "2", store.path, copy).output == "")
        #expect(try firn.run("replicate", "--until", "head", store.path, copy).output == "\(copy): record 4\n")
        #expect(try firn.run("replicate", "--until", "2100-01-01", store.path, copy).status == 0)
        #expect(try firn.run("verify", copy).status == 0)
    }
}
