import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool copes with whatever is in the place of the tables")
struct DamagedTableTests {
    /// What is in the tables' place.
    enum Content: String, CaseIterable, Sendable {
        case text, zeros, noHeader, shortHeader, half, noise, noMark, otherDatabase, renamedColumn
        case negativeCheckpoint, noTable, otherEntity

        var sql: String? {
            switch self {
            case .renamedColumn: "ALTER TABLE firn_store RENAME COLUMN checkpoint TO c"
            case .negativeCheckpoint: "UPDATE firn_store SET checkpoint = -5"
            case .noTable: "DROP TABLE Person"
            case .otherEntity: "UPDATE Person SET Z_ENT = -77"
            default: nil
            }
        }

        func bytes(_ sound: Data) -> Data {
            switch self {
            case .text: Data("Dear Sir or Madam\n".utf8)
            case .zeros: Data(count: sound.count)
            case .noHeader: Data(count: 100) + sound.dropFirst(100)
            case .shortHeader: sound.prefix(50)
            case .half: sound.prefix(sound.count / 2)
            case .noise:
                sound.prefix(4_096) + Data((4_096..<sound.count).map { UInt8(truncatingIfNeeded: $0 &* 7_919) })
            case .noMark: sound.prefix(68) + Data(count: 4) + sound.dropFirst(72).prefix(4_024)
                + Data(repeating: 0xAA, count: sound.count - 4_096)
            default: sound
            }
        }
    }

    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    private func sql(_ statement: String, _ path: String) throws {
        let script =
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit(); c.close()"
        let python = BuiltProgram(url: URL(filePath: "/usr/bin/env"))
        let result = try python.run("python3", "-c", script, path, statement)
        try #require(result.status == 0, "\(result.complaints)")
    }

    private func put(_ content: Content) throws {
        _ = try firn.run("rebuild", store.path)
        let url = URL(filePath: store.path)
        if content == .otherDatabase {
            try FileManager.default.removeItem(at: url)
            try sql("CREATE TABLE theirs (a)", store.path)
        } else if let statement = content.sql {
            try sql(statement, store.path)
        } else {
            try content.bytes(Data(contentsOf: url)).write(to: url)
        }
    }

    @Test("verify finds it, names rebuild, and ends with status 1", arguments: Content.allCases)
    func verify(_ content: Content) throws {
        try put(content)
        let result = try firn.run("verify", store.path)
        #expect(result.status == 1, "\(result)")
        #expect(result.lines.last?.contains("firn rebuild") == true, "\(result)")
    }

    @Test("rebuild makes the tables all the same", arguments: Content.allCases)
    func rebuild(_ content: Content) throws {
        try put(content)
        let result = try firn.run("rebuild", store.path)
        #expect(result.status == 0, "\(result.complaints)")
        let verified = try firn.run("verify", store.path)
        #expect(verified.status == 0 && verified.output.contains("tables: equal"), "\(verified)")
    }

    @Test("rebuild keeps another program's file under another name, and says which")
    func kept() throws {
        let letter = Content.text.bytes(Data())
        for name in ["People.sqlite.replaced", "People.sqlite.replaced-2"] {
            try letter.write(to: URL(filePath: store.path))
            let result = try firn.run("rebuild", store.path)
            let kept = store.folder.file(name)
            #expect(try Data(contentsOf: kept) == letter)
            #expect(result.lines.last == "what was in its place is kept as \(kept.path)")
        }
    }

    @Test("fetch of damaged tables is status 1 and names rebuild", arguments: [Content.text, .noise, .half])
    func fetch(_ content: Content) throws {
        try put(content)
        let result = try firn.run("fetch", store.path, "Person")
        #expect(result.status == 1)
        #expect(result.complaints.contains("firn rebuild"), "\(result.complaints)")
    }
}

@Suite("The tool reads in a folder where nothing can be written")
struct ReadOnlyFolderToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test(
        "verify, fetch, info and log work, and write nothing",
        arguments: [["verify"], ["fetch", "Person"], ["info"], ["log"]], [false, true])
    func reading(_ verb: [String], hasTables: Bool) throws {
        if hasTables { _ = try firn.run("rebuild", store.path) }
        let usual = try firn.run([verb[0], store.path] + verb.dropFirst())
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
        try Permissions.setWritable(false, store.folder.url)
        defer { try? Permissions.setWritable(true, store.folder.url) }
        let names = try FileManager.default.subpathsOfDirectory(atPath: store.folder.path).sorted()
        let result = try Permissions.runWithoutPrivileges(firn, [verb[0], store.path] + verb.dropFirst())
        #expect(result.status == 0, "\(result.complaints)")
        #expect(result.output == usual.output)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: store.folder.path).sorted() == names)
    }
}
